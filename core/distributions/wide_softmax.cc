#include "core/distributions/wide_softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/distributions/half_hypercube.h"
#include "core/distributions/sigmoid_normal.h"
#include "core/linalg/mills_ratio.h"

// Each draw has one logit integrated out. With Λ = Σ⁻¹, u = Λ (f − f̂), τ_c² = 1/Λ_cc, f_c given
// the others is N(f_c − τ_c² u_c, τ_c²), and p_c = σ(f_c − log Σ_{j≠c} e^{f_j}). So, with
//   a_c = f_c − τ_c² u_c − log Σ_{j≠c} e^{f_j},   S(a, τ²) = E σ(a + τ z),   z ~ N(0, 1),
//   E p_c = E S(a_c, τ_c²),    E p_c p_d = E[S′(a_c, τ_c²) p_d/(1 − p_c)],   c ≠ d,
// where the outer expectations are means over the draws f. How much of the variance this takes away
// depends on Σ: nearly all of it where the logits are independent, nothing where each logit is
// known once the others are. The softmax does not see what all logits share, which therefore gets a
// great variance: that makes τ_c² as great as it can be, and two classes exact.
//
// The sigmoid itself is SigmoidMixture (sigmoid_normal.h).
namespace prequel {
namespace {

constexpr double kShared = 1e4;  // variance of what all logits share, in widths
// What is added to each logit's variance, so that Σ has a factor: absolute, and in widths.
constexpr double kJitter = 1e-4, kRelativeJitter = 1e-8;
constexpr int kPowerSteps = 4;
constexpr double kLargestGap = 600;  // of logits, as far as quotients of e^gap stay finite

// A belief that drifts is wide for as long as it lives. Twelve times as many draws made a linear
// model of ten classes four times slower, and its NLL no better by more than 0.001.
Index NumDraws(Index classes) { return classes <= 3 ? 1024 : classes <= 8 ? 256 : 128; }

// x ↦ E σ(x + τ z), its derivative and the integral that vanishes at −∞, which is E log(1 + e^{·}).
class SmoothedSigmoids {
 public:
  explicit SmoothedSigmoids(double variance) {
    for (std::size_t i = 0; i < SigmoidMixture::kTerms; ++i) {
      slopes_[i] =
          SigmoidMixture::kSlopes[i] /
          std::sqrt(1 + variance * SigmoidMixture::kSlopes[i] * SigmoidMixture::kSlopes[i]);
    }
  }

  Lane Value(const Lane& x) const {
    Lane sum = Lane::Zero();
    for (std::size_t i = 0; i < SigmoidMixture::kTerms; ++i) {
      const Lane z = slopes_[i] * x, h = z.abs();
      const Lane tail = Density(h) * MillsRatio<kLanes>(h);
      sum += SigmoidMixture::kShares[i] * (z < 0).select(tail, 1 - tail);
    }
    return sum;
  }

  Lane Derivative(const Lane& x) const {
    Lane sum = Lane::Zero();
    for (std::size_t i = 0; i < SigmoidMixture::kTerms; ++i) {
      sum += (SigmoidMixture::kShares[i] * slopes_[i]) * Density(Lane(slopes_[i] * x));
    }
    return sum;
  }

  // ∫ Φ(sx) dx = max(x, 0) + φ(h) (1 − h R(h))/s with h = |s x|.
  Lane Integral(const Lane& x) const {
    Lane sum = Lane::Zero();
    for (std::size_t i = 0; i < SigmoidMixture::kTerms; ++i) {
      const Lane h = (slopes_[i] * x).abs();
      sum += (SigmoidMixture::kShares[i] / slopes_[i]) *
             (Density(h) * (1 - h * MillsRatio<kLanes>(h)));
    }
    return sum + x.max(0.0);
  }

 private:
  static Lane Density(const Lane& z) {
    return (-0.5 * z.square()).exp() * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
  }

  std::array<double, SigmoidMixture::kTerms> slopes_;
};

// LogOneMinus is log(1 − p), 0 ≤ p ≤ ½: −2 artanh(p/(2 − p)).
Lane LogOneMinus(const Lane& p) {
  const Lane s = p / (2 - p), z = s.square();
  Lane series = Lane::Constant(1.0 / 19);
  for (int n = 17; n > 0; n -= 2) series = series * z + 1.0 / n;
  return -2 * s * series;
}

}  // namespace

double WidthOf(ConstMatrixRef covariance) {
  const Index size = covariance.rows();
  const auto count = static_cast<double>(size);
  const double shared = covariance.sum() / (count * count);
  double width = 0;
  for (Index c = 0; c < size; ++c) {
    width = std::max(width, covariance(c, c) - 2 * covariance.col(c).sum() / count + shared);
  }
  return width * count / (count - 1);
}

struct WideSoftmax::Work {
  using Map = Eigen::Map<Matrix>;

  Work(Index classes, Index draws, VectorRef scratch)
      : factor(scratch.data(), classes, classes),
        inverse(End(factor), classes, classes),
        variances(End(inverse), classes, 1),
        logits(End(variances), draws, classes),
        conditional(End(logits), draws, classes),
        top(End(conditional), draws, 1),
        second(End(top), draws, 1),
        others(End(second), draws, 1) {}

  static Index SizeOf(Index classes, Index draws) {
    return classes * (2 * classes + 1) + draws * (2 * classes + 3);
  }
  static double* End(Map& map) { return map.data() + map.size(); }

  Map factor, inverse;      // L Lᵀ = Σ made definite, L⁻¹
  Map variances;            // τ_c²
  Map logits, conditional;  // f_c and f_c − τ_c² u_c, later what comes of them
  Map top, second;          // the greatest logit of each draw, and the next
  Map others;               // log Σ e^{f_j} without the top

  void Factor(ConstMatrixRef covariance) {
    const Index size = covariance.rows();
    const auto count = static_cast<double>(size);
    const double width = WidthOf(covariance), shared = covariance.sum() / (count * count);
    variances = covariance.colwise().sum().transpose() / count;
    for (Index c = 0; c < size; ++c) {
      factor.col(c).array() = covariance.col(c).array() - variances.col(0).array() -
                              variances(c, 0) + (shared + kShared * width);
      factor(c, c) += kJitter + kRelativeJitter * width;
    }
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(factor);
    if (cholesky.info() != Eigen::Success) {
      factor.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
  }

  // Turns L to L Q and `solved`, L⁻¹ something, to Qᵀ L⁻¹ something, with Q orthogonal and such
  // that the first column of L Q is near the axis along which the logits differ most: that gets the
  // first coordinate of z, which is evenly spread.
  void Align(ConstMatrixRef z, MatrixRef solved);

  // Draw sets f for z and −z in the two halves.
  void Draw(ConstVectorRef mean, ConstMatrixRef z) {
    const Index half = z.rows();
    logits.topRows(half).noalias() = z * factor.transpose();
    logits.bottomRows(half) = -logits.topRows(half);
    logits.rowwise() += mean.transpose();
  }

  // These accessors return kLanes draws, from draw k on.
  Lane Logit(Index k, Index c) const { return logits.col(c).segment<kLanes>(k).array(); }
  Lane Conditional(Index k, Index c) const { return conditional.col(c).segment<kLanes>(k).array(); }
  Lane Gap(Index k) const {  // log p/(1 − p) of the top
    return (top.col(0).segment<kLanes>(k) - others.col(0).segment<kLanes>(k)).array();
  }
  Lane Second(Index k) const {  // above `others`
    return (second.col(0).segment<kLanes>(k) - others.col(0).segment<kLanes>(k)).array();
  }

  // Turns logits to e^{f_c − second}, or kTop where c is the top; returns the mean of H(p).
  double Separate();
  // LeaveOneOut puts a_c in the place of `conditional`. REQUIRES: Separate.
  void LeaveOneOut();

  static constexpr double kTop = 2;
};

// Align uses power iteration on the covariance of f − mean_j f_j, a fixed number of steps from a
// fixed start, so that Q is continuous in Σ except for a sign, then Householder's reflection.
void WideSoftmax::Work::Align(ConstMatrixRef z, MatrixRef solved) {
  const Index size = factor.rows();
  Eigen::Map<Vector> axis(conditional.data(), size), product(conditional.data() + size, size);
  axis = z.row(0).transpose();
  for (int step = 0; step < kPowerSteps; ++step) {
    axis.array() -= axis.mean();
    product.noalias() = factor.transpose() * axis;
    axis.noalias() = factor * product;
    axis.array() -= axis.mean();
    axis.normalize();
  }
  product.noalias() = factor.transpose() * axis;
  product[0] += std::copysign(product.norm(), product[0]);
  const double twice = 2 / product.squaredNorm();
  axis.noalias() = factor * product;
  factor.noalias() -= (twice * axis) * product.transpose();
  for (Index c = 0; c < solved.cols(); ++c) {
    solved.col(c) -= (twice * product.dot(solved.col(c))) * product;
  }
}

// The sum is of H(p) = H(P) + (1 − P) H(p given another than the top), P the top's probability.
double WideSoftmax::Work::Separate() {
  const Index draws = logits.rows(), size = logits.cols();
  double entropy = 0;
  for (Index k = 0; k < draws; k += kLanes) {
    Lane high = Logit(k, 0), next = Lane::Constant(-std::numeric_limits<double>::max());
    for (Index c = 1; c < size; ++c) {
      const Lane f = Logit(k, c);
      next = next.max(high.min(f));
      high = high.max(f);
    }
    Lane sum = Lane::Constant(-1), weighted = Lane::Zero();  // the top counts 1 as well
    for (Index c = 0; c < size; ++c) {
      const Lane f = Logit(k, c), below = (f - next).min(0.0), odds = below.exp();
      sum += odds;
      weighted += odds * below;
      logits.col(c).segment<kLanes>(k) = (f == high).select(kTop, odds).matrix();
    }
    const Lane log_sum = sum.log();
    top.col(0).segment<kLanes>(k) = high.matrix();
    second.col(0).segment<kLanes>(k) = next.matrix();
    others.col(0).segment<kLanes>(k) = (next + log_sum).matrix();
    const Lane gap = (high - next - log_sum).abs(), lesser = (-gap).exp();
    const Lane rest = (high >= next + log_sum).select(lesser, Lane::Ones()) / (1 + lesser);
    const Lane of_top = lesser.log1p() + gap * lesser / (1 + lesser);
    entropy += (of_top + rest * (log_sum - weighted / sum)).sum();
  }
  return entropy / static_cast<double>(draws);
}

void WideSoftmax::Work::LeaveOneOut() {
  for (Index k = 0; k < logits.rows(); k += kLanes) {
    const Lane gap = Gap(k), all = gap.max(0.0) + (-gap.abs()).exp().log1p();  // less `others`
    const Lane scale = (Second(k) - all).exp();
    const Lane base = others.col(0).segment<kLanes>(k).array();
    for (Index c = 0; c < logits.cols(); ++c) {
      const Lane odds = Logit(k, c);
      const Lane rest = all + LogOneMinus((odds * scale).min(0.5));
      const Lane without = base + (odds == kTop).select(Lane::Zero(), rest);
      conditional.col(c).segment<kLanes>(k) -= without.matrix();
    }
  }
}

WideSoftmax::WideSoftmax(Index classes)
    : classes_(classes), draws_(HalfHypercube(NumDraws(classes) / 2, classes)) {}

Index WideSoftmax::scratch_size() const { return Work::SizeOf(classes_, 2 * draws_.rows()); }

void WideSoftmax::DrawAll(ConstVectorRef mean, ConstMatrixRef covariance, Work& work) const {
  work.Factor(covariance);
  work.inverse.setIdentity();
  work.factor.triangularView<Eigen::Lower>().solveInPlace(work.inverse);
  work.Align(draws_, work.inverse);
  work.variances = work.inverse.colwise().squaredNorm().cwiseInverse().transpose();
  work.Draw(mean, draws_);
  // τ_c² u_c for all z, of which f − f̂ = L z and u = L⁻ᵀ z.
  const Index half = draws_.rows();
  work.inverse *= work.variances.col(0).asDiagonal();
  work.conditional.topRows(half).noalias() = draws_ * work.inverse;
  work.conditional.bottomRows(half) = work.logits.bottomRows(half) + work.conditional.topRows(half);
  work.conditional.topRows(half) = work.logits.topRows(half) - work.conditional.topRows(half);
}

void WideSoftmax::Expand(ConstVectorRef mean, ConstMatrixRef covariance, Index label,
                         VectorRef scratch, double* log_density, VectorRef score) const {
  const Index half = draws_.rows(), draws = 2 * half;
  Work work(classes_, draws, scratch);
  work.Factor(covariance);
  Work::Map::ColXpr of_label = work.inverse.col(0);  // L⁻¹ e_y, then τ_y² L⁻¹ e_y
  of_label.setZero();
  of_label[label] = 1;
  work.factor.triangularView<Eigen::Lower>().solveInPlace(of_label);
  work.Align(draws_, work.inverse.leftCols(1));
  const double variance = 1 / of_label.squaredNorm();
  of_label *= variance;
  work.Draw(mean, draws_);
  Work::Map::ColXpr conditional = work.conditional.col(0), weights = work.conditional.col(1);
  conditional.head(half).noalias() = draws_ * of_label;
  conditional.tail(half) = work.logits.col(label).tail(half) + conditional.head(half);
  conditional.head(half) = work.logits.col(label).head(half) - conditional.head(half);

  const SmoothedSigmoids sigmoid(variance);
  const double weight = 1 / static_cast<double>(draws);
  work.logits.col(label).setConstant(-std::numeric_limits<double>::infinity());
  Lane total = Lane::Zero(), missed = Lane::Zero();
  for (Index k = 0; k < draws; k += kLanes) {
    Lane high = work.Logit(k, label == 0 ? 1 : 0), sum = Lane::Zero();
    for (Index c = 0; c < classes_; ++c) high = high.max(work.Logit(k, c));
    for (Index c = 0; c < classes_; ++c) {
      const Lane odds = (work.Logit(k, c) - high).exp();
      sum += odds;
      work.logits.col(c).segment<kLanes>(k) = odds.matrix();
    }
    const Lane behind = high + sum.log() - conditional.segment<kLanes>(k).array();  // −a_y
    const Lane others = sigmoid.Value(behind);
    total -= sigmoid.Integral(behind);
    missed += others;
    weights.segment<kLanes>(k) = (others / sum).matrix();
  }
  *log_density = weight * total.sum();
  score.noalias() = -weight * (work.logits.transpose() * weights);
  score[label] = weight * missed.sum();
}

void WideSoftmax::SecondMoment(ConstVectorRef mean, ConstMatrixRef covariance, VectorRef scratch,
                               MatrixRef w) const {
  const Index draws = 2 * draws_.rows();
  Work work(classes_, draws, scratch);
  DrawAll(mean, covariance, work);
  work.Separate();
  work.LeaveOneOut();
  // S′/(1 − p_c) in the place of a_c, and p_c in that of the logits.
  for (Index c = 0; c < classes_; ++c) {
    const SmoothedSigmoids sigmoid(work.variances(c, 0));
    for (Index k = 0; k < draws; k += kLanes) {
      const Lane grown = work.Gap(k).min(kLargestGap).exp(), rest = 1 / (1 + grown);
      const Lane odds = work.Logit(k, c), below = odds * work.Second(k).exp() * rest;
      const LaneMask is_top = odds == Work::kTop;
      const Lane derivative = sigmoid.Derivative(work.Conditional(k, c));
      work.conditional.col(c).segment<kLanes>(k) =
          (derivative / is_top.select(rest, 1 - below)).matrix();
      work.logits.col(c).segment<kLanes>(k) = is_top.select(grown * rest, below).matrix();
    }
  }
  work.inverse.noalias() = work.conditional.transpose() * work.logits;
  const double weight = 0.5 / static_cast<double>(draws);
  for (Index c = 0; c + 1 < classes_; ++c) {
    const Index rest = classes_ - c - 1;
    w.col(c).tail(rest) =
        weight * (work.inverse.col(c).tail(rest) + work.inverse.row(c).tail(rest).transpose());
  }
}

// Far in the tail S(a, τ²) = e^{a+τ²/2} S(−a − τ², τ²), exactly: then the mixture, whose own tails
// are not the sigmoid's, is asked where it is accurate. Both are equal at a = −τ²/2.
void WideSoftmax::Probabilities(ConstVectorRef mean, ConstMatrixRef covariance, VectorRef scratch,
                                VectorRef log_probabilities, double* expected_entropy) const {
  constexpr double kLeast = std::numeric_limits<double>::min();
  const Index draws = 2 * draws_.rows();
  Work work(classes_, draws, scratch);
  DrawAll(mean, covariance, work);
  *expected_entropy = work.Separate();
  work.LeaveOneOut();
  for (Index c = 0; c < classes_; ++c) {
    const double variance = work.variances(c, 0);
    const SmoothedSigmoids sigmoid(variance);
    const double highest = std::min(0.0, work.conditional.col(c).maxCoeff() + 0.5 * variance);
    Lane sum = Lane::Zero();
    for (Index k = 0; k < draws; k += kLanes) {
      const Lane a = work.Conditional(k, c);
      sum += ((a + 0.5 * variance).min(0.0) - highest).exp() * sigmoid.Value(a.max(-a - variance));
    }
    log_probabilities[c] =
        highest + std::log(std::max(sum.sum() / static_cast<double>(draws), kLeast));
  }
  const double high = log_probabilities.maxCoeff();
  log_probabilities.array() -= high + std::log((log_probabilities.array() - high).exp().sum());
}

}  // namespace prequel
