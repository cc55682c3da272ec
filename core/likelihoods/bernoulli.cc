#include "core/likelihoods/bernoulli.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/config/error.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr Index kLanes = 8;  // examples worked on side by side
using Lane = Eigen::Array<double, kLanes, 1>;

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

// Expectations over f ~ N(m, s²), one example per lane.
struct Expectations {
  Lane log_sigmoid;  // E log σ(f); E log σ(−f) is less by E f = m
  Lane one, zero;    // E σ(f), E σ(−f)
  Lane curvature;    // E σ(f) σ(−f)
  Lane moment;       // E f σ(−f), when asked for

  void SetZero() {
    for (Lane* lane : {&log_sigmoid, &one, &zero, &curvature, &moment}) lane->setZero();
  }
};

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

// With t = e^{−f}: σ(f) = 1/(1 + t), σ(−f) = t σ(f). Nodes at equal distances make t a geometric
// sequence, and for a pair of nodes ±x one division and one logarithm of (1 + t₊)(1 + t₋) do.
template <bool kLogs, bool kMoment>
void Integrate(const Lane& m, const Lane& s, Expectations& e) {
  const Lane half = (s * (-0.5 * kStep)).exp(), shrink = half.square(), grow = 1 / shrink;
  Lane odds_up = (-m).exp() * half, odds_down = odds_up * grow;
  e.SetZero();
  double x = 0.5 * kStep;
  for (const double weight : Weights()) {
    const Lane up = 1 + odds_up, down = 1 + odds_down;
    const Lane product = up * down;
    const Lane inverse = 1 / product;
    const Lane one_up = down * inverse, one_down = up * inverse;
    const Lane zero_up = odds_up * one_up, zero_down = odds_down * one_down;
    if constexpr (kLogs) e.log_sigmoid -= weight * LogAboveOne(product);
    e.one += weight * (one_up + one_down);
    e.zero += weight * (zero_up + zero_down);
    e.curvature += weight * (zero_up * one_up + zero_down * one_down);
    if constexpr (kMoment) {
      e.moment += (weight * x) * (zero_up - zero_down);
    }
    odds_up *= shrink;
    odds_down *= grow;
    x += kStep;
  }
  if constexpr (kMoment) e.moment = m * e.zero + s * e.moment;
}

// s = 0.
void EvaluateAtMean(const Lane& m, Expectations& e) {
  const Lane odds = (-m).exp();
  e.one = 1 / (1 + odds);
  e.zero = odds * e.one;
  e.curvature = e.zero * e.one;
  e.log_sigmoid = -LogAboveOne(Lane(1 + odds));
  e.moment = m * e.zero;
}

// The same for one lane of any size, and log E σ(±f) where E σ underflows.
void IntegrateFar(double m, double s, Index lane, Expectations& e, double* log_one,
                  double* log_zero) {
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
  *log_one = one.maxCoeff() + std::log((weights * (one - one.maxCoeff()).exp()).sum());
  *log_zero = zero.maxCoeff() + std::log((weights * (zero - zero.maxCoeff()).exp()).sum());
}

// Lanes `start` and following of the moments; the lanes past the last example are N(0, 0).
struct Lanes {
  Lane m = Lane::Zero(), s = Lane::Zero();
  Index count;
  bool far;  // some node of some lane lies beyond kFarthest

  Lanes(const LogitMoments& moments, Index start)
      : count(std::min(kLanes, moments.mean.cols() - start)) {
    for (Index j = 0; j < count; ++j) {
      m[j] = moments.mean(0, start + j);
      if (!moments.exact()) s[j] = std::max(moments.covariance(0, start + j), 0.0);
    }
    s = s.sqrt();
    far = !((m.abs() + kOutermost * s < kFarthest).all());
  }
};

}  // namespace

void Bernoulli::CompleteTarget(TargetConfig& target) {
  if (target.labels.empty() && target.num_classes == 0) target.num_classes = 2;
}

absl::Status Bernoulli::Configure(Options& options, const TargetConfig& target) {
  const auto labels = static_cast<Index>(target.labels.size());
  if (labels != 0 && labels != 2) {
    return FieldError("config.target.labels", "must name two classes for bernoulli");
  }
  if (target.num_classes != 0 && target.num_classes != 2) {
    return FieldError("config.target.num_classes",
                      "must be 2 for bernoulli; categorical takes more");
  }
  return options.Finish();
}

std::string_view Bernoulli::TargetProblem(double y) const {
  return y == 0 || y == 1 ? "" : "class 0 or 1";
}

void Bernoulli::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel&,
                       LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols();
  expansion.score.resize(1, examples);
  expansion.root.resize(1, examples);
  expansion.log_density = 0;
  Expectations e;
  for (Index start = 0; start < examples; start += kLanes) {
    const Lanes lanes(moments, start);
    if (lanes.far) {
      double log_one = 0, log_zero = 0;
      for (Index j = 0; j < lanes.count; ++j) {
        IntegrateFar(lanes.m[j], lanes.s[j], j, e, &log_one, &log_zero);
      }
    } else if (moments.exact()) {
      EvaluateAtMean(lanes.m, e);
    } else {
      Integrate<true, false>(lanes.m, lanes.s, e);
    }
    for (Index j = 0; j < lanes.count; ++j) {
      const bool is_one = targets(0, start + j) != 0;
      expansion.log_density += e.log_sigmoid[j] - (is_one ? 0 : lanes.m[j]);
      expansion.score(0, start + j) = is_one ? e.zero[j] : -e.one[j];
      expansion.root(0, start + j) = std::sqrt(e.curvature[j]);
    }
  }
}

void Bernoulli::Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const {
  const Index examples = moments.mean.cols();
  predictive.probabilities.resize(2, examples);
  predictive.log_probabilities.resize(2, examples);
  predictive.expected_entropy.resize(examples);
  Expectations e;
  Lane log_one, log_zero;
  for (Index start = 0; start < examples; start += kLanes) {
    const Lanes lanes(moments, start);
    if (lanes.far) {
      for (Index j = 0; j < lanes.count; ++j) {
        IntegrateFar(lanes.m[j], lanes.s[j], j, e, &log_one[j], &log_zero[j]);
      }
    } else {
      if (moments.exact()) {
        EvaluateAtMean(lanes.m, e);
      } else if (predictive.wants_entropy) {
        Integrate<true, true>(lanes.m, lanes.s, e);
      } else {
        Integrate<false, false>(lanes.m, lanes.s, e);
      }
      log_one = e.one.log();
      log_zero = e.zero.log();
    }
    for (Index j = 0; j < lanes.count; ++j) {
      predictive.probabilities.col(start + j) << e.zero[j], e.one[j];
      predictive.log_probabilities.col(start + j) << log_zero[j], log_one[j];
      // H(σ(f)) = −log σ(f) + f σ(−f).
      predictive.expected_entropy[start + j] = std::max(e.moment[j] - e.log_sigmoid[j], 0.0);
    }
  }
}

}  // namespace prequel
