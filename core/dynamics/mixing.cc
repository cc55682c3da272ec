#include "core/dynamics/mixing.h"

#include <array>
#include <cmath>

#include "core/linalg/sum_log.h"

namespace prequel {
namespace {

constexpr std::array<double, 4> kShares = {1e-4, 1e-3, 1e-2, 1e-1};  // α per row
constexpr std::array<double, 3> kExponents = {0, 0.5, 1};            // e
constexpr Index kWays = kShares.size() * kExponents.size();          // J
constexpr double kFirstRows = 64;   // that the first weights are worth
constexpr double kToAverage = 0.9;  // of what is shared; the rest goes to π

bool AreWeights(const Vector& w) {
  return w.allFinite() && (w.array() >= 0).all() && std::abs(w.sum() - 1) < 1e-6;
}

// AverageByTrust writes Σ_j u_j · column j: K.
void AverageByTrust(const MixingState& state, const Matrix& columns, VectorRef out) {
  out.setZero();
  for (Index j = 0; j < state.log_trust.size(); ++j) {
    out += std::exp(state.log_trust[j]) * columns.col(j);
  }
}

}  // namespace

MixingState Mixing::Fresh() const {
  if (!mixes()) return {};
  return {.weights = first_.replicate(1, kWays),
          .average = first_.replicate(1, kWays),
          .log_trust = Vector::Constant(kWays, -std::log(double{kWays})),
          .rows = kFirstRows};
}

bool Mixing::IsSound(const MixingState& state) const {
  const Index size = mixes() ? this->size() : 0, ways = mixes() ? kWays : 0;
  for (const Matrix* weights : {&state.weights, &state.average}) {
    if (weights->rows() != size || weights->cols() != ways) return false;
    for (Index j = 0; j < ways; ++j) {
      if (!AreWeights(weights->col(j))) return false;
    }
  }
  if (state.log_trust.size() != ways || !std::isfinite(state.rows)) return false;
  return !mixes() || (state.rows >= kFirstRows && AreWeights(state.log_trust.array().exp()));
}

bool Mixing::Absorb(ConstMatrixRef log_densities, MixingState& state,
                    MixingScratch& scratch) const {
  const Index rows = log_densities.cols();
  const auto n = static_cast<double>(rows);
  // The densities of each row are beside the greatest, a factor that all hypotheses have in common.
  Matrix& densities = scratch.densities;
  densities.resize(size(), rows);
  for (Index i = 0; i < rows; ++i) {
    const double greatest = log_densities.col(i).maxCoeff();
    if (!std::isfinite(greatest)) return false;
    densities.col(i) = (log_densities.col(i).array() - greatest).exp();
  }
  scratch.evidence = log_densities.rowwise().sum();
  const double best = scratch.evidence.maxCoeff();
  if (!std::isfinite(best)) return false;
  scratch.evidence.array() -= best;
  const double all_rows = state.rows + n;
  scratch.told.resize(size(), kWays);
  for (Index j = 0; j < kWays; ++j) {
    const auto share = static_cast<std::size_t>(j) / kExponents.size();
    const auto exponent = static_cast<std::size_t>(j) % kExponents.size();
    Vector& mixed = scratch.mixed;  // densities of the rows
    mixed.noalias() = densities.transpose() * state.weights.col(j);
    const double evidence = SumLog(mixed);
    state.log_trust[j] += std::isfinite(evidence) ? evidence : mixed.array().log().sum();
    auto v = scratch.told.col(j);
    v = state.weights.col(j).array() *
        (scratch.evidence.array() * std::pow(n, -kExponents[exponent])).exp();
    v /= v.sum();
    state.average.col(j) = (state.rows * state.average.col(j) + n * v) / all_rows;
    const double kept = std::exp(-kShares[share] * n);
    state.weights.col(j) =
        kept * v + (1 - kept) * (kToAverage * state.average.col(j) + (1 - kToAverage) * base_);
  }
  state.rows = all_rows;
  const double greatest = state.log_trust.maxCoeff();
  state.log_trust.array() -= greatest + std::log((state.log_trust.array() - greatest).exp().sum());
  return true;
}

void Mixing::Weights(const MixingState& state, VectorRef out) {
  AverageByTrust(state, state.weights, out);
}

void Mixing::Believed(const MixingState& state, const MixingScratch& scratch, VectorRef out) {
  AverageByTrust(state, scratch.told, out);
}

}  // namespace prequel
