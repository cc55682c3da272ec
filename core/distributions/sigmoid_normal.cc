#include "core/distributions/sigmoid_normal.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/distributions/wide_sigmoid.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

// The farthest |f| of any node for which products of two of e^{±f} stay finite.
constexpr double kFarthest = 340;

// log x for finite x ≥ 1 to 2e-16 of max(1, log x): with x = 2ᵏ r, r in [√½, √2), s = (r−1)/(r+1),
// log r = 2 Σ_n s^{2n+1}/(2n+1). Free of branches, so that the compiler vectorises it over lanes,
// at less than half the cost of Eigen's log, which serves every argument.
inline double LogAboveOne(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // bits of √½
  constexpr std::uint64_t kTwo52 = 0x4330000000000000;  // bits of 2⁵²: k + 2⁵² = kTwo52 | k
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t k = (bits - kRootHalf) >> 52;
  const double r = std::bit_cast<double>(bits - (k << 52));
  const double exponent = std::bit_cast<double>(kTwo52 | k) - 0x1p52;
  const double s = (r - 1) / (r + 1), z = s * s;
  double series = 1.0 / 19;
  for (int n = 17; n > 0; n -= 2) series = series * z + 1.0 / n;
  return exponent * std::numbers::ln2 + 2 * s * series;
}

inline Lane LogAboveOne(const Lane& x) {
  Lane log;
  for (Index j = 0; j < kLanes; ++j) log[j] = LogAboveOne(x[j]);
  return log;
}

// The nodes are (j + ½) kStep, j = −10 … 9, with weights proportional to the density: the
// trapezoidal rule, which for analytic functions that vanish at both ends is as good as Gauss.
constexpr double kStep = 0.6;
constexpr int kPairs = 10;
constexpr double kOutermost = (kPairs - 0.5) * kStep;

const std::array<double, kPairs>& Weights() {
  static const std::array<double, kPairs> kWeights = [] {
    std::array<double, kPairs> weights;
    double sum = 0;
    for (int j = 0; j < kPairs; ++j) {
      const double x = (j + 0.5) * kStep;
      sum += 2 * (weights[static_cast<std::size_t>(j)] = std::exp(-0.5 * x * x));
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }();
  return kWeights;
}

// Integrate uses t = e^{−f}: σ(f) = 1/(1 + t), σ(−f) = t σ(f). Nodes at equal distances make t
// geometric, and for a pair of nodes ±x one division and one logarithm of (1 + t₊)(1 + t₋) do.
template <bool kLogs, bool kMoment>
void Integrate(const Lane& m, const Lane& s, SigmoidExpectations& e) {
  const Lane half = (s * (-0.5 * kStep)).exp(), shrink = half.square(), grow = 1 / shrink;
  Lane odds_up = (-m).exp() * half, odds_down = odds_up * grow;
  // These sums are locals, which stay in registers.
  Lane one = Lane::Zero(), zero = Lane::Zero(), curvature = Lane::Zero();
  Lane log_sigmoid = Lane::Zero(), moment = Lane::Zero();
  double x = 0.5 * kStep;
  for (const double weight : Weights()) {
    const Lane up = 1 + odds_up, down = 1 + odds_down;
    const Lane product = up * down;
    const Lane inverse = 1 / product;
    const Lane one_up = down * inverse, one_down = up * inverse;
    const Lane zero_up = odds_up * one_up, zero_down = odds_down * one_down;
    if constexpr (kLogs) log_sigmoid -= weight * LogAboveOne(product);
    one += weight * (one_up + one_down);
    zero += weight * (zero_up + zero_down);
    curvature += weight * (zero_up * one_up + zero_down * one_down);
    if constexpr (kMoment) moment += (weight * x) * (zero_up - zero_down);
    odds_up *= shrink;
    odds_down *= grow;
    x += kStep;
  }
  e.one = one;
  e.zero = zero;
  e.curvature = curvature;
  if constexpr (kLogs) e.log_sigmoid = log_sigmoid;
  if constexpr (kMoment) e.moment = m * zero + s * moment;
}

// EvaluateAtMean is for s = 0.
void EvaluateAtMean(const Lane& m, SigmoidExpectations& e) {
  const Lane odds = (-m).exp();
  e.one = 1 / (1 + odds);
  e.zero = odds * e.one;
  e.curvature = e.zero * e.one;
  e.log_sigmoid = -LogAboveOne(Lane(1 + odds));
  e.moment = m * e.zero;
}

// IntegrateFar computes every expectation of one lane, for m and s of any size.
void IntegrateFar(double m, double s, Index lane, SigmoidExpectations& e) {
  using Nodes = Eigen::Array<double, 2 * kPairs, 1>;
  const Nodes x = Nodes::LinSpaced(-kOutermost, kOutermost);
  const Nodes weights = (-0.5 * x.square()).exp() / (-0.5 * x.square()).exp().sum();
  const Nodes f = m + s * x;
  const Nodes one = f.unaryExpr([](double logit) { return -Softplus(-logit); });
  const Nodes zero = f.unaryExpr([](double logit) { return -Softplus(logit); });
  e.log_sigmoid[lane] = (weights * one).sum();
  e.one[lane] = (weights * one.exp()).sum();
  e.zero[lane] = (weights * zero.exp()).sum();
  e.curvature[lane] = (weights * (one + zero).exp()).sum();
  e.moment[lane] = (weights * f * zero.exp()).sum();
  e.log_one[lane] = one.maxCoeff() + std::log((weights * (one - one.maxCoeff()).exp()).sum());
  e.log_zero[lane] = zero.maxCoeff() + std::log((weights * (zero - zero.maxCoeff()).exp()).sum());
}

// ExpectNarrow uses the nodes above. Lanes with a node too far out for products of e^{±f} are done
// one by one.
void ExpectNarrow(const Lane& m, const Lane& s, const SigmoidWants& wants, SigmoidExpectations& e) {
  const LaneMask near = m.abs() + kOutermost * s < kFarthest;
  if (!near.all()) {
    const Lane zeros = Lane::Zero();
    Integrate<true, true>(near.select(m, zeros), near.select(s, zeros), e);
  } else if ((s == 0).all()) {
    EvaluateAtMean(m, e);
  } else if (wants.moment) {
    Integrate<true, true>(m, s, e);
  } else if (wants.log_sigmoid) {
    Integrate<true, false>(m, s, e);
  } else {
    Integrate<false, false>(m, s, e);
  }
  if (wants.log_probabilities) {
    e.log_one = e.one.log();
    e.log_zero = e.zero.log();
  }
  for (Index j = 0; j < kLanes; ++j) {
    if (!near[j]) IntegrateFar(m[j], s[j], j, e);
  }
}

// IntegrateOne is Integrate of one lane, over all pairs of nodes at once; those past the last have
// no weight.
OneSigmoid IntegrateOne(double m, double s) {
  constexpr int kNodes = 12;
  using Nodes = Eigen::Array<double, kNodes, 1>;
  static const std::array<Nodes, 2> kNodesAndWeights = [] {
    std::array<Nodes, 2> of = {Nodes::Zero(), Nodes::Zero()};
    for (int j = 0; j < kPairs; ++j) {
      of[0][j] = (j + 0.5) * kStep;
      of[1][j] = Weights()[static_cast<std::size_t>(j)];
    }
    return of;
  }();
  const auto& [x, weight] = kNodesAndWeights;
  const double odds = std::exp(-m);
  const Nodes shrink = (-s * x).exp();
  const Nodes odds_up = odds * shrink, odds_down = odds / shrink;
  const Nodes up = 1 + odds_up, down = 1 + odds_down;
  const Nodes product = up * down, inverse = 1 / product;
  const Nodes one_up = down * inverse, one_down = up * inverse;
  const Nodes zero_up = odds_up * one_up, zero_down = odds_down * one_down;
  Nodes logs;
  for (Index j = 0; j < kNodes; ++j) logs[j] = LogAboveOne(product[j]);
  return {.one = (weight * (one_up + one_down)).sum(),
          .zero = (weight * (zero_up + zero_down)).sum(),
          .curvature = (weight * (zero_up * one_up + zero_down * one_down)).sum(),
          .log_sigmoid = -(weight * logs).sum()};
}

// Take copies lanes of `from` to `to` where `chosen`.
void Take(const LaneMask& chosen, const SigmoidExpectations& from, SigmoidExpectations& to) {
  for (Lane SigmoidExpectations::*const part :
       {&SigmoidExpectations::one, &SigmoidExpectations::zero, &SigmoidExpectations::curvature,
        &SigmoidExpectations::log_sigmoid, &SigmoidExpectations::moment,
        &SigmoidExpectations::log_one, &SigmoidExpectations::log_zero}) {
    for (Index j = 0; j < kLanes; ++j) {
      if (chosen[j]) (to.*part)[j] = (from.*part)[j];
    }
  }
}

}  // namespace

void ExpectSigmoid(const Lane& m, const Lane& s, const SigmoidWants& wants,
                   SigmoidExpectations& e) {
  const LaneMask wide = s >= kWideDeviation;
  if (!wide.any()) return ExpectNarrow(m, s, wants, e);
  if (wide.all()) return ExpectWideSigmoid(m, s, wants, e);
  const Lane zeros = Lane::Zero(), least = Lane::Constant(kWideDeviation);
  SigmoidExpectations of_wide;
  ExpectWideSigmoid(wide.select(m, zeros), wide.select(s, least), wants, of_wide);
  ExpectNarrow(wide.select(zeros, m), wide.select(zeros, s), wants, e);
  Take(wide, of_wide, e);
}

SmoothedSigmoid SmoothSigmoid(double m, double v) {
  constexpr double kLeastSmoothed = 1e-250;
  constexpr double kModeOfNormal = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
  SmoothedSigmoid sum;
  for (std::size_t i = 0; i < SigmoidMixture::kTerms; ++i) {
    const double own = SigmoidMixture::kSlopes[i], slope = own / std::sqrt(1 + v * own * own);
    const double z = slope * m;
    const double density =
        SigmoidMixture::kShares[i] * slope * kModeOfNormal * std::exp(-0.5 * z * z);
    sum.value += SigmoidMixture::kShares[i] * NormalCdf(z);
    sum.slope += density;
    sum.bend -= density * slope * z;
  }
  if (sum.value >= kLeastSmoothed) return sum;
  // Here m is so far out that the widest term is all, of which Φ(z) → φ(z)/|z| (1 − 1/z²): what
  // matters is the quotients.
  const double own = SigmoidMixture::kSlopes[0], slope = own / std::sqrt(1 + v * own * own);
  const double z = std::min(slope * m, -1.0), ratio = -slope * (z + 1 / z);
  return {kLeastSmoothed, kLeastSmoothed * ratio,
          kLeastSmoothed * (ratio * ratio - slope * slope * (1 - 1 / (z * z)))};
}

OneSigmoid ExpectOneSigmoid(double m, double s) {
  if (s >= kWideDeviation) return ExpectOneWideSigmoid(m, s);
  if (s > 0 && std::abs(m) + kOutermost * s < kFarthest) return IntegrateOne(m, s);
  SigmoidExpectations e;
  ExpectNarrow(Lane::Constant(m), Lane::Constant(s), {.log_sigmoid = true}, e);
  return {e.one[0], e.zero[0], e.curvature[0], e.log_sigmoid[0]};
}

}  // namespace prequel
