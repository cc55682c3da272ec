#include "core/dynamics/restarts.h"

#include <cmath>

namespace prequel {

RestartState Restarts::Fresh() const {
  if (!any()) return {};
  // Both runs have learned nothing, so that this says only how soon the second may begin anew.
  return {.log_weights = Eigen::Vector2d(-hazard_, std::log(-std::expm1(-hazard_)))};
}

bool Restarts::IsSound(const RestartState& state) const {
  if (state.log_weights.size() != (any() ? 2 : 0)) return false;
  if (!(state.rows >= 0) || (!any() && state.rows > 0)) return false;
  return !any() || (state.log_weights.allFinite() &&
                    std::abs(state.log_weights.array().exp().sum() - 1) < 1e-6);
}

Eigen::Vector3d Restarts::Weights(const RestartState& state, double rows) const {
  const double stays = std::exp(-hazard_ * rows);
  return {stays * std::exp(state.log_weights[0]), stays * std::exp(state.log_weights[1]),
          1 - stays};
}

bool Restarts::Absorb(const Eigen::Vector3d& log_densities, double rows,
                      RestartState& state) const {
  const double stays = -hazard_ * rows;
  const double fresh = std::log(-std::expm1(stays)) + log_densities[2];
  Eigen::Vector2d runs = state.log_weights.array() + stays + log_densities.head<2>().array();
  const bool restart = fresh > runs[1];
  if (restart) runs[1] = fresh;
  const double greatest = runs.maxCoeff();
  runs.array() -= greatest + std::log((runs.array() - greatest).exp().sum());
  if (!runs.allFinite()) return false;
  state.log_weights = runs;
  state.rows = restart ? rows : state.rows + rows;
  return restart;
}

}  // namespace prequel
