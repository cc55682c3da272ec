#include "core/dynamics/run_lengths.h"

#include <cmath>

namespace prequel {
namespace {

constexpr double kHopeless = -1e12;  // of what is thought impossible, and may yet come true

}  // namespace

RestartState RunLengths::Fresh() const {
  RestartState state{.log_weights = Vector::Constant(runs_, kHopeless)};
  state.log_weights[0] = 0;
  return state;
}

bool RunLengths::IsSound(const RestartState& state) const {
  return state.log_weights.size() == runs_ && state.log_weights.allFinite() &&
         std::abs(state.log_weights.array().exp().sum() - 1) < 1e-6;
}

void RunLengths::Weights(const RestartState& state, double rows, VectorRef out) const {
  const double stays = std::exp(-hazard_ * rows);
  for (Index run = 0; run < runs_; ++run) out[run] = stays * std::exp(state.log_weights[run]);
  out[runs_] = 1 - stays;
}

bool RunLengths::Absorb(ConstVectorRef log_densities, double rows, RestartState& state,
                        Index& begun) const {
  begun = -1;
  const double stays = -hazard_ * rows;
  const double fresh = std::log(-std::expm1(stays)) + log_densities[runs_];
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostRuns, 1> runs =
      state.log_weights.array() + stays + log_densities.head(runs_).array();
  Index least = 0;
  for (Index run = 1; run < runs_; ++run) {
    if (runs[run] < runs[least]) least = run;
  }
  const bool begins = fresh > runs[least];
  if (begins) runs[least] = fresh;
  const double greatest = runs.maxCoeff();
  double sum = 0;
  for (Index run = 0; run < runs_; ++run) sum += std::exp(runs[run] - greatest);
  runs.array() -= greatest + std::log(sum);
  if (!std::isfinite(sum) || !std::isfinite(greatest)) return false;
  state.log_weights = runs.cwiseMax(kHopeless);
  if (begins) begun = least;
  return true;
}

}  // namespace prequel
