#include "core/distributions/diagonal_softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/distributions/sigmoid_normal.h"
#include "core/linalg/mills_ratio.h"

// p_c is the probability that c is the greatest of f_j + G_j, with G_j independent standard Gumbel
// variables (Luce and Suppes 1965). Let φ_c be the distribution function of f_c + G_c, f_c normal,
//   φ_c(s) = E exp(−e^{f_c − s}),   h_c = φ_c′/φ_c,   F = Π_c φ_c.
// Then F is the distribution function of the greatest, and
//   E p_c     = ∫ F h_c ds
//   E p_c p_d = ∫ F h_c h_d ds,   c ≠ d
//   E log Σ_j e^{f_j} = ∫ s dF(s) − γ,   γ being Euler's constant
//   E p_c f_c = m_c E p_c + v_c E p_c (1 − p_c)                 (Stein's lemma)
// The second is by 1/x² = ∫ t e^{−tx} dt at t = e^{−s}. All are sums over equidistant nodes, which
// converge geometrically, for the integrands are smooth and vanish at both ends.
namespace prequel {
namespace {

constexpr double kNodesPerDeviation = 2;  // of the narrowest f_c + G_c
constexpr Index kMostNodes = 512;
// Bounds that f_c + G_c is beyond with a probability of less than 1e-8: deviations of f_c below its
// mean and above, and G_c.
constexpr double kReachDown = 6, kReachUp = 6.5, kLeastGumbel = -3.2, kMostGumbel = 18;
// UpperEnd is where the distribution function of f_c + G_c is 1: by the normal's upper tail, beside
// which G counts little, or by e^{−s + v/2}.
double UpperEnd(double mean, double variance) {
  const double reach = kReachUp * std::sqrt(variance);
  return mean + std::max(reach + 2, std::min(0.5 * variance, reach) + kMostGumbel);
}

constexpr double kGumbelVariance = std::numbers::pi * std::numbers::pi / 6;

// Gauss's nodes and weights for the standard Gumbel density: by Lanczos' method from a fine grid.
template <std::size_t N>
struct GumbelNodes {
  std::array<double, N> places, weights;
};
constexpr GumbelNodes<8> kManyNodes = {
    {-1.439936254192698, -0.3663274615084826, 1.039320972330548, 3.011171941663062,
     5.75135767570943, 9.445204469592813, 14.41786468408964, 21.53442230733168},
    {0.06148002665585824, 0.4091310947780881, 0.4099115942729907, 0.1090575387706859,
     0.01008008067981723, 0.0003364792966305263, 3.181590711931391e-06, 3.95521768177164e-09}};
constexpr GumbelNodes<4> kFewNodes = {
    {-0.8388161651850791, 0.8485041269298182, 3.591451703606672, 8.401180188495815},
    {0.322392185707669, 0.5807360536856633, 0.09542131408916081, 0.00145044651750667}};

// The nodes in z ~ N(0, 1) over which a narrow f = √v z is spread go out to kNormalReach,
// kNormalStep apart in f, or in z where that is less.
constexpr double kNormalReach = 5.6, kNormalStep = 0.65;
constexpr double kNarrow = 2.5, kWide = 6;  // deviations of f

// GumbelNormal evaluates φ and φ′ of f ~ N(0, v), to about 1e-6. For a narrow f
// φ(x) = E exp(−e^{√v z − x}) over z ~ N(0, 1), on equidistant nodes; for a wide one
// φ(x) = E Φ((x − G)/√v) over G, the smoother the greater v is.
class GumbelNormal {
 public:
  explicit GumbelNormal(double variance) : deviation_(std::sqrt(variance)) {
    if (deviation_ == 0) {
      Add(1, 1);
    } else if (deviation_ < kNarrow) {
      SpreadOverNormal();
    } else if (deviation_ < kWide) {
      TakeNodes(kManyNodes);
    } else {
      TakeNodes(kFewNodes);
    }
  }

  void Evaluate(const Lane& x, Lane& value, Lane& slope) const {
    value.setZero();
    slope.setZero();
    deviation_ < kNarrow ? SumNormal(x, value, slope) : SumGumbel(x, value, slope);
  }

 private:
  static constexpr std::size_t kMostPlaces = 44;

  void SpreadOverNormal() {
    const double step = kNormalStep / std::max(1.0, deviation_);
    const int half = static_cast<int>(kNormalReach / step);
    double sum = 0;
    for (int i = -half; i <= half; ++i) {
      const double z = step * i, weight = std::exp(-0.5 * z * z);
      Add(weight, std::exp(deviation_ * z));
      sum += weight;
    }
    for (std::size_t i = 0; i < size_; ++i) weights_[i] /= sum;
  }
  template <std::size_t N>
  void TakeNodes(const GumbelNodes<N>& nodes) {
    for (std::size_t i = 0; i < N; ++i) Add(nodes.weights[i], nodes.places[i]);
  }
  void Add(double weight, double place) {
    weights_[size_] = weight;
    places_[size_++] = place;
  }

  void SumNormal(const Lane& x, Lane& value, Lane& slope) const {
    const Lane odds = (-x).exp();
    for (std::size_t i = 0; i < size_; ++i) {
      const Lane t = odds * places_[i], below = weights_[i] * (-t).exp();
      value += below;
      slope += t.min(kLargest) * below;  // not ∞ times 0
    }
  }
  void SumGumbel(const Lane& x, Lane& value, Lane& slope) const {
    constexpr double kDensity = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
    const double precision = 1 / deviation_;
    for (std::size_t i = 0; i < size_; ++i) {
      const Lane z = (x - places_[i]) * precision, h = z.abs();
      const Lane density = (weights_[i] * kDensity) * (-0.5 * h.square()).exp();
      const Lane tail = density * RoughMillsRatio<kLanes>(h);
      value += (z < 0).select(tail, weights_[i] - tail);
      slope += density;
    }
    slope *= precision;
  }

  static constexpr double kLargest = std::numeric_limits<double>::max();

  double deviation_;
  std::size_t size_ = 0;
  std::array<double, kMostPlaces> weights_, places_;
};

// GumbelNormalGrid evaluates φ and φ′ of an f that is not wide, at equidistant places, with a tenth
// of the exponentials that GumbelNormal takes: nodes that are a fraction of the places' distance
// apart share their values. With u(x) = e^{−x}, G = exp(−u) and nodes in f at multiples of δ = Δ/q,
//   φ(s_i − m) = Σ_p Σ_a w_{qa+p} G(s_{i−a} − m − pδ),   0 ≤ p < q,
// and φ′ likewise of G′ = u G.
class GumbelNormalGrid {
 public:
  // Places s_i = first + Δ i, at most kMostNodes.
  GumbelNormalGrid(double first, double width, Index count)
      : first_(first), width_(width), parts_(std::ceil(width / kNormalStep)) {
    for (Index i = 0; i < count + kMostBeyond; i += kLanes) {
      const Lane place =
          Lane::LinSpaced(static_cast<double>(i), static_cast<double>(i + kLanes - 1));
      fall_.segment<kLanes>(i) = (-width * place).exp();
    }
  }

  // Covers: whether the grid is cheaper than GumbelNormal for this variance, and as accurate.
  bool Covers(double variance) const {
    return width_ >= kLeastWidth && parts_ <= kMostParts && variance >= 1 &&
           variance < kWidest * kWidest;
  }

  // Evaluate leaves φ and φ′ of f ~ N(m, v) at the first `count` places, a multiple of kLanes.
  // REQUIRES: Covers(v).
  void Evaluate(double mean, double variance, Index count) {
    const double step = width_ / parts_ / std::sqrt(variance);  // in z
    const auto half = static_cast<Index>(kNormalReach / step);
    const auto parts = static_cast<Index>(parts_);
    Weigh(step, half);
    value_.head(count).setZero();
    slope_.head(count).setZero();
    for (Index part = 0; part < parts; ++part) {
      // a from −below to above
      const Index above = (half - part) / parts, below = (half + part) / parts;
      Expand(mean + static_cast<double>(part) * width_ / parts_, above, count + above + below);
      for (Index i = 0; i < count; i += kLanes) {
        Lane value = value_.segment<kLanes>(i), slope = slope_.segment<kLanes>(i);
        for (Index a = -below; a <= above; ++a) {
          const double weight = weights_[half + parts * a + part];
          value += weight * gumbel_.segment<kLanes>(i + above - a);
          slope += weight * density_.segment<kLanes>(i + above - a);
        }
        value_.segment<kLanes>(i) = value;
        slope_.segment<kLanes>(i) = slope;
      }
    }
  }
  Lane Value(Index i) const { return value_.segment<kLanes>(i); }
  Lane Slope(Index i) const { return slope_.segment<kLanes>(i); }

 private:
  static constexpr double kMostParts = 4, kLeastWidth = 0.5;
  static constexpr double kWidest = 4;  // deviation of f
  // The nodes reach over 2 · 5.6 · 4, are at least 0.325 apart, and the places 0.5.
  static constexpr Index kMostWeights = 144, kMostBeyond = 96, kPlaces = kMostNodes + kMostBeyond;

  // w_{−half}, …, w_{half}
  void Weigh(double step, Index half) {
    const double first = -step * static_cast<double>(half);
    for (Index i = 0; i <= 2 * half; i += kLanes) {
      const Lane z = first + step * Lane::LinSpaced(static_cast<double>(i),
                                                    static_cast<double>(i + kLanes - 1));
      weights_.segment<kLanes>(i) = (-0.5 * z.square()).exp();
    }
    weights_.head(2 * half + 1) /= weights_.head(2 * half + 1).sum();
  }

  // G and G′ of s_i − mean at the places from i = −`before` on.
  void Expand(double mean, Index before, Index count) {
    const double odds = std::exp(mean - first_ + width_ * static_cast<double>(before));
    for (Index i = 0; i < count; i += kLanes) {
      const Lane u = odds * fall_.segment<kLanes>(i), gumbel = (-u).exp();
      gumbel_.segment<kLanes>(i) = gumbel;
      density_.segment<kLanes>(i) = u * gumbel;
    }
  }

  double first_, width_, parts_;                       // s_0, Δ, q
  Eigen::Array<double, kMostWeights, 1> weights_;      // w
  Eigen::Array<double, kPlaces, 1> fall_;              // e^{−Δ i}
  Eigen::Array<double, kPlaces, 1> gumbel_, density_;  // G, G′
  Eigen::Array<double, kMostNodes, 1> value_, slope_;  // φ, φ′
};

}  // namespace

struct DiagonalSoftmax::Integral {
  using Map = Eigen::Map<Matrix>;

  Integral(ConstVectorRef mean, ConstVectorRef variances, VectorRef scratch)
      : hazard(scratch.data(), 0, 0), mass(scratch.data(), 0, 0) {
    double lo = -std::numeric_limits<double>::infinity(), hi = lo, narrowest = -lo;
    for (Index c = 0; c < mean.size(); ++c) {
      lo = std::max(lo, mean[c] - kReachDown * std::sqrt(variances[c]) + kLeastGumbel);
      hi = std::max(hi, UpperEnd(mean[c], variances[c]));
      narrowest = std::min(narrowest, variances[c]);
    }
    const double step = std::sqrt(narrowest + kGumbelVariance) / kNodesPerDeviation;
    const auto wanted =
        static_cast<Index>(std::min<double>(kMostNodes, std::ceil((hi - lo) / step)));
    const Index nodes = (wanted + kLanes - 1) / kLanes * kLanes;
    first = lo;
    width = (hi - lo) / static_cast<double>(nodes - 1);
    new (&hazard) Map(scratch.data(), nodes, mean.size());
    new (&mass) Map(scratch.data() + hazard.size(), nodes, 1);
    Fill(mean, variances);
  }

  static Index SizeOf(Index classes) { return kMostNodes * (classes + 1); }

  // E log Σ_j e^{f_j}: the mean of the greatest, by parts, less γ.
  double LogSum() const {
    const double last = first + width * static_cast<double>(mass.rows() - 1);
    return last + 0.5 * width - mass.sum() - std::numbers::egamma;
  }

  Map hazard;           // h_c(s_i): nodes × C
  Map mass;             // F(s_i) Δ: nodes × 1
  double first, width;  // s_0, Δ

 private:
  void Fill(ConstVectorRef mean, ConstVectorRef variances) {
    mass.setConstant(width);
    hazard.setZero();
    GumbelNormalGrid grid(first, width, mass.rows());
    const Lane steps = Lane::LinSpaced(0, kLanes - 1) * width;
    for (Index c = 0; c < mean.size(); ++c) {
      const Index count = CountBelow(UpperEnd(mean[c], variances[c]));  // φ_c is 1 beyond
      if (grid.Covers(variances[c])) {
        grid.Evaluate(mean[c], variances[c], count);
        for (Index i = 0; i < count; i += kLanes) Take(c, i, grid.Value(i), grid.Slope(i));
        continue;
      }
      const GumbelNormal phi(variances[c]);
      for (Index i = 0; i < count; i += kLanes) {
        Lane value, slope;
        phi.Evaluate((first + width * static_cast<double>(i) - mean[c]) + steps, value, slope);
        Take(c, i, value, slope);
      }
    }
  }

  // CountBelow is how many nodes there are up to s, to whole lanes; all, should s not be a number.
  Index CountBelow(double s) const {
    if (s < first) return 0;
    const double lanes = (s - first) / (width * static_cast<double>(kLanes));
    const Index all = mass.rows() / kLanes;
    return kLanes * (lanes < static_cast<double>(all) ? static_cast<Index>(lanes) + 1 : all);
  }

  // φ_c and φ_c′ at the nodes from i on.
  void Take(Index c, Index i, const Lane& value, const Lane& slope) {
    const Lane positive = value.max(std::numeric_limits<double>::min());
    hazard.col(c).segment<kLanes>(i) = (slope / positive).matrix();
    mass.col(0).segment<kLanes>(i).array() *= positive;
  }
};

bool DiagonalSoftmax::Covers(ConstMatrixRef covariance) {
  for (Index c = 0; c < covariance.cols(); ++c) {
    for (Index j = 0; j < c; ++j) {
      if (covariance(j, c) != 0) return false;
    }
  }
  return true;
}

Index DiagonalSoftmax::scratch_size() const { return Integral::SizeOf(classes_); }

void DiagonalSoftmax::Expand(ConstVectorRef mean, ConstVectorRef variances, Index label,
                             VectorRef scratch, double* log_density, VectorRef score,
                             MatrixRef second_moment) const {
  Integral integral(mean, variances, scratch);
  *log_density = mean[label] - integral.LogSum();
  score.noalias() = -(integral.hazard.transpose() * integral.mass.col(0));
  score[label] = 0;
  score[label] = -score.sum();
  integral.hazard.array().colwise() *= integral.mass.col(0).array().sqrt();
  second_moment.triangularView<Eigen::Lower>().setZero();
  second_moment.selfadjointView<Eigen::Lower>().rankUpdate(integral.hazard.transpose());
}

void DiagonalSoftmax::Probabilities(ConstVectorRef mean, ConstVectorRef variances,
                                    VectorRef scratch, VectorRef log_probabilities,
                                    double* expected_entropy) const {
  Integral integral(mean, variances, scratch);
  Integral::Map& h = integral.hazard;
  Integral::Map::ColXpr mass = integral.mass.col(0);
  log_probabilities.noalias() = h.transpose() * mass;
  // E H = E log Σ e^f − Σ_c E p_c f_c, both less the greatest mean, where rounding counts least.
  const double origin = mean.maxCoeff();
  double entropy = integral.LogSum() - origin;
  entropy -= (mean.array() - origin).matrix().dot(log_probabilities);
  // E p_c (1 − p_c) = Σ_{d≠c} E p_c p_d
  for (Index i = 0; i < h.rows(); ++i) {
    const double all = h.row(i).sum();
    entropy -= mass[i] * (h.row(i).array() * (all - h.row(i).array())).matrix().dot(variances);
  }
  *expected_entropy = entropy;
  log_probabilities = log_probabilities.array().max(std::numeric_limits<double>::min()).log();
  const double high = log_probabilities.maxCoeff();
  log_probabilities.array() -= high + std::log((log_probabilities.array() - high).exp().sum());
}

}  // namespace prequel
