#include "core/distributions/wide_sigmoid.h"

#include <array>
#include <cmath>
#include <numbers>

#include "core/linalg/mills_ratio.h"

// The series are in e = e^{−|f|} for f ~ N(−h s, s²), h = |m|/s, the mirror image of m when m > 0:
//   σ(f) = 1[f > 0] − sign(f) Σ_j (−1)^{j−1} eʲ      σ(f) σ(−f) = Σ_j (−1)^{j−1} j eʲ
//   log(1 + eᶠ) = max(f, 0) + Σ_j (−1)^{j−1} eʲ/j    H(σ(f)) = Σ_j (−1)^{j−1} (1/j + |f|) eʲ
// and with Mills' ratio R(x) = Φ(−x)/φ(x), x = j s ∓ h for f < 0 and f > 0,
//   E[eʲ; f ≶ 0] = φ(h) R(x),    E[|f| eʲ; f ≶ 0] = φ(h) s (1 − x R(x)).
// R(x) = ∫₀^∞ e^{−xt−t²/2} dt is a totally monotone function of j, so n terms of the alternating
// series come within 5.8⁻ⁿ of its first when they are weighted by Algorithm 1 of Cohen, Rodriguez
// Villegas and Zagier 2000.
namespace prequel {
namespace {

constexpr int kSigmoidTerms = 12;
// Where js − h is below, φ(h) R is e^{−hs + s²/2}, to all digits, and σ(f) is e^f.
constexpr double kFarBelow = -30;
const double kLogRootTwoPi = 0.5 * std::log(2 * std::numbers::pi);

// Weights of the terms a_j of Σ_j (−1)^{j−1} a_j, the signs included.
const std::array<double, kSigmoidTerms>& Weights() {
  static const std::array<double, kSigmoidTerms> kWeights = [] {
    const double power = std::pow(3 + std::sqrt(8.0), kSigmoidTerms);
    const double d = 0.5 * (power + 1 / power);
    std::array<double, kSigmoidTerms> weights;
    double b = -1, c = -d;
    for (int k = 0; k < kSigmoidTerms; ++k) {
      c = b - c;
      weights[static_cast<std::size_t>(k)] = c / d;
      b *= (k + kSigmoidTerms) * (k - kSigmoidTerms) / ((k + 0.5) * (k + 1));
    }
    return weights;
  }();
  return kWeights;
}

// Reflect returns R(x) for x ≥ kFarBelow, given R(|x|): R(x) = √(2π) e^{x²/2} − R(−x).
template <int N>
Eigen::Array<double, N, 1> Reflect(const Eigen::Array<double, N, 1>& x,
                                   const Eigen::Array<double, N, 1>& ratio) {
  using Values = Eigen::Array<double, N, 1>;
  if ((x >= 0).all()) return ratio;
  const Values reflected = (0.5 * x.square() + kLogRootTwoPi).exp() - ratio;
  return (x < 0).select(reflected, ratio);
}

// Mirrored holds the expectations of the mirrored f, whose mean is at most 0.
struct Mirrored {
  Lane one, log_one;  // E σ(f), at most ½
  Lane curvature, softplus, entropy;
};

Mirrored Sum(const Lane& h, const Lane& s) {
  Lane one = Lane::Zero(), curvature = Lane::Zero();
  Lane logarithm = Lane::Zero(), slope = Lane::Zero();
  double j = 1;
  for (const double weight : Weights()) {
    const Lane x_below = (j * s - h).max(kFarBelow), x_above = j * s + h;
    const Lane below = Reflect<kLanes>(x_below, MillsRatio<kLanes>(x_below.abs())),
               above = MillsRatio<kLanes>(x_above);
    one += weight * (below - above);
    curvature += (weight * j) * (below + above);
    logarithm += (weight / j) * (below + above);
    slope += weight * ((1 - x_below * below) + (1 - x_above * above));
    j += 1;
  }
  const Lane log_density = -0.5 * h.square() - kLogRootTwoPi;
  const Lane density = log_density.exp(), tail = MillsRatio<kLanes>(h);
  const Lane sum = tail + one;
  return {density * sum, log_density + sum.log(), density * curvature,
          density * (s * (1 - h * tail) + logarithm), density * (logarithm + s * slope)};
}

// TakeFar is for s − h ≤ kFarBelow: of e^f, the entropy being that of e^f (1 − f).
void TakeFar(const Lane& h, const Lane& s, Mirrored& f) {
  const LaneMask far = s - h <= kFarBelow;
  if (!far.any()) return;
  const Lane log_one = s * (0.5 * s - h), one = log_one.exp();
  f.one = far.select(one, f.one);
  f.log_one = far.select(log_one, f.log_one);
  f.curvature = far.select(one, f.curvature);
  f.softplus = far.select(one, f.softplus);
  f.entropy = far.select(one * (1 + s * (h - s)), f.entropy);
}

}  // namespace

void ExpectWideSigmoid(const Lane& m, const Lane& s, const SigmoidWants& wants,
                       SigmoidExpectations& e) {
  const Lane h = m.abs() / s;
  Mirrored f = Sum(h, s);
  TakeFar(h, s, f);
  const LaneMask positive = m > 0;
  const Lane rest = 1 - f.one;
  e.one = positive.select(rest, f.one);
  e.zero = positive.select(f.one, rest);
  e.curvature = f.curvature;
  e.log_sigmoid = positive.select(-f.softplus, m - f.softplus);
  e.moment = f.entropy + e.log_sigmoid;
  if (!wants.log_probabilities) return;
  const Lane log_rest = (-f.one).log1p();
  e.log_one = positive.select(log_rest, f.log_one);
  e.log_zero = positive.select(f.log_one, log_rest);
}

// ExpectOneWideSigmoid is Sum of one lane, over all terms at once.
OneSigmoid ExpectOneWideSigmoid(double m, double s) {
  using Terms = Eigen::Array<double, kSigmoidTerms, 1>;
  static const Terms kWeights = Terms::Map(Weights().data());
  static const Terms kPowers = Terms::LinSpaced(1, kSigmoidTerms);
  const double h = std::abs(m) / s;
  double mean_one, curvature, softplus;
  if (s - h <= kFarBelow) {
    mean_one = curvature = softplus = std::exp(s * (0.5 * s - h));
  } else {
    // Both sides of 0 together.
    Eigen::Array<double, 2 * kSigmoidTerms, 1> x;
    x.head<kSigmoidTerms>() = (kPowers * s - h).max(kFarBelow);
    x.tail<kSigmoidTerms>() = kPowers * s + h;
    const Eigen::Array<double, 2 * kSigmoidTerms, 1> ratio =
        RoughMillsRatio<2 * kSigmoidTerms>(x.abs());
    const Terms below =
        Reflect<kSigmoidTerms>(x.head<kSigmoidTerms>(), ratio.head<kSigmoidTerms>());
    const Terms above = ratio.tail<kSigmoidTerms>();
    const Terms both = kWeights * (below + above);
    const double density = std::exp(-0.5 * h * h - kLogRootTwoPi);
    const double tail = MillsRatio<1>(Eigen::Array<double, 1, 1>(h))[0];
    mean_one = density * (tail + (kWeights * (below - above)).sum());
    curvature = density * (kPowers * both).sum();
    softplus = density * (s * (1 - h * tail) + (both / kPowers).sum());
  }
  const bool positive = m > 0;
  return {.one = positive ? 1 - mean_one : mean_one,
          .zero = positive ? mean_one : 1 - mean_one,
          .curvature = curvature,
          .log_sigmoid = positive ? -softplus : m - softplus};
}

}  // namespace prequel
