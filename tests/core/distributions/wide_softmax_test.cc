// Against integrals on dense grids: softmaxes of wide normals, correlated and not.
#include "core/distributions/wide_softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/distributions/sigmoid_normal.h"
#include "core/random/philox.h"
#include "tests/core/finite_difference.h"
#include "tests/core/softmax_on_grid.h"

namespace prequel::wide_softmax_test {
namespace {

// f = f̂ + independent deviations + g · shared, g ~ N(0, 1).
struct Logits {
  Vector mean, variances, shared;

  Matrix covariance() const { return Matrix(variances.asDiagonal()) + shared * shared.transpose(); }
  SoftmaxOnGrid OnGrid() const {
    return shared.isZero() ? IndependentSoftmax(mean, variances)
                           : CorrelatedSoftmax(mean, variances, shared);
  }
};

enum class Kind { kEqual, kUnequal, kShared };

Logits Make(Index classes, double deviation, Kind kind) {
  Matrix normals(classes, 3);
  FillNormal(Stream{11, 0, static_cast<std::uint32_t>(classes)}, normals);
  const double variance = deviation * deviation;
  Logits f{0.5 * deviation * normals.col(0), Vector::Constant(classes, variance),
           Vector::Zero(classes)};
  if (kind == Kind::kUnequal) {
    f.variances = variance * (0.1 + 0.9 * normals.col(1).array().abs().min(1.0));
  }
  if (kind == Kind::kShared) {
    f.variances *= 0.5;
    f.shared = deviation * normals.col(2);
  }
  return f;
}

struct Errors {
  double probability = 0;  // greatest |Δ E p_c|
  double divergence = 0;   // Σ_c E p_c log(E p_c / estimate), the NLL's mean error
  double score = 0;        // greatest |Δ E r|, over all labels
  double log_density = 0;  // of the label of the greatest probability, in deviations
};

Errors ErrorsOf(const Logits& f, double deviation) {
  const Index classes = f.mean.size();
  const WideSoftmax softmax(classes);
  const SoftmaxOnGrid want = f.OnGrid();
  Vector scratch(softmax.scratch_size()), logs(classes), score(classes);
  double entropy = 0, log_density = 0;
  softmax.Probabilities(f.mean, f.covariance(), scratch, logs, &entropy);
  Errors e;
  e.probability = (logs.array().exp() - want.probabilities.array()).cwiseAbs().maxCoeff();
  e.divergence =
      (want.probabilities.array() * (want.probabilities.array().log() - logs.array())).sum();
  Index likely = 0;
  want.probabilities.maxCoeff(&likely);
  for (Index y = 0; y < classes; ++y) {
    softmax.Expand(f.mean, f.covariance(), y, scratch, &log_density, score);
    EXPECT_NEAR(score.sum(), 0, 1e-12);
    Vector exact = -want.probabilities;
    exact[y] += 1;
    e.score = std::max(e.score, (score - exact).cwiseAbs().maxCoeff());
    if (y == likely) {
      e.log_density = std::abs(log_density - (f.mean[y] - want.log_sum)) / deviation;
    }
  }
  return e;
}

TEST(WideSoftmax, MatchesIntegralsOnAGrid) {
  for (const Index classes : {3, 5, 26, 100}) {
    for (const double deviation : {2.0, 5.0, 20.0}) {
      for (const Kind kind : {Kind::kEqual, Kind::kUnequal, Kind::kShared}) {
        if (kind == Kind::kShared && classes > 5 && deviation < 20) continue;  // slow grids
        if (kind == Kind::kShared && classes > 26) continue;
        const Errors e = ErrorsOf(Make(classes, deviation, kind), deviation);
        SCOPED_TRACE(testing::Message() << classes << " classes, deviation " << deviation
                                        << ", kind " << static_cast<int>(kind));
        EXPECT_LT(e.probability, 0.015);
        EXPECT_LT(e.divergence, 0.005);
        // Of one label it integrates one logit, and of more than three classes by few draws.
        EXPECT_LT(e.score, classes > 3 ? 0.06 : deviation > 5 ? 0.015 : 0.01);
        EXPECT_LT(e.log_density, classes > 3 ? 0.06 : 0.03);
      }
    }
  }
}

// The gradient of one probability in its own logit is Σ_j E p_c p_j.
TEST(WideSoftmax, SecondMomentMatchesDifferencesOnAGrid) {
  for (const Index classes : {3, 10, 64}) {
    const Logits f = Make(classes, 4, Kind::kUnequal);
    const WideSoftmax softmax(classes);
    Vector scratch(softmax.scratch_size());
    Matrix w = Matrix::Zero(classes, classes);
    softmax.SecondMoment(f.mean, f.covariance(), scratch, w);
    Index likely = 0;
    IndependentSoftmax(f.mean, f.variances).probabilities.maxCoeff(&likely);
    constexpr double kStep = 0.05;
    const Vector step = kStep * Vector::Unit(classes, likely);
    const Vector slopes = (IndependentSoftmax(f.mean + step, f.variances).probabilities -
                           IndependentSoftmax(f.mean - step, f.variances).probabilities) /
                          (2 * kStep);
    for (Index c = 0; c < classes; ++c) {
      if (c == likely) continue;
      EXPECT_NEAR(w(std::max(c, likely), std::min(c, likely)), -slopes[c], 0.003) << c;
    }
    const double sum =
        w.row(likely).head(likely).sum() + w.col(likely).tail(classes - likely - 1).sum();
    EXPECT_NEAR(sum / slopes[likely], 1, 0.1);
  }
}

// What is integrated out is then all there is.
TEST(WideSoftmax, OfTwoClassesIsTheSigmoid) {
  const WideSoftmax softmax(2);
  Vector scratch(softmax.scratch_size()), logs(2), score(2);
  for (const double v : {4.0, 100.0, 1e4}) {
    for (const double m : {-20.0, -1.0, 0.0, 3.0}) {
      Matrix covariance(2, 2);
      covariance << 0.9 * v, 0.3 * v, 0.3 * v, 0.7 * v;
      const Vector mean = Eigen::Vector2d(0.2, 0.2 + m);
      SigmoidExpectations e;
      ExpectSigmoid(Lane::Constant(m), Lane::Constant(std::sqrt(v)),
                    {.log_sigmoid = true, .moment = true, .log_probabilities = true}, e);
      double log_density = 0, entropy = 0;
      softmax.Probabilities(mean, covariance, scratch, logs, &entropy);
      EXPECT_NEAR(logs[1], e.log_one[0], 2e-3 * std::max(1.0, -e.log_one[0])) << m << " " << v;
      EXPECT_NEAR(entropy, e.moment[0] - e.log_sigmoid[0], 0.01) << m << " " << v;
      softmax.Expand(mean, covariance, 1, scratch, &log_density, score);
      EXPECT_NEAR(score[1], e.zero[0], 1e-4) << m << " " << v;
      EXPECT_NEAR(log_density, e.log_sigmoid[0], 1e-3 * std::max(1.0, -e.log_sigmoid[0]));
      Matrix w = Matrix::Zero(2, 2);
      softmax.SecondMoment(mean, covariance, scratch, w);
      EXPECT_NEAR(w(1, 0), e.curvature[0], 1e-4) << m << " " << v;
    }
  }
}

TEST(WideSoftmax, ScoreIsTheGradientOfTheLogDensity) {
  const Logits f = Make(7, 6, Kind::kUnequal);
  const WideSoftmax softmax(7);
  Vector scratch(softmax.scratch_size()), score(7), unused(7);
  for (const Index label : {0, 4}) {
    double log_density = 0;
    softmax.Expand(f.mean, f.covariance(), label, scratch, &log_density, score);
    const auto expected = [&](const Vector& mean) {
      double value = 0;
      softmax.Expand(mean, f.covariance(), label, scratch, &value, unused);
      return value;
    };
    EXPECT_LT(RelativeError(score, NumericGradient(expected, f.mean)), 1e-8);
  }
}

// E σ(f) = e^{f̂ + v/2} far below 0, which a mixture of normals alone would miss by far.
TEST(WideSoftmax, TailsAreTheSigmoids) {
  const WideSoftmax softmax(2);
  Vector scratch(softmax.scratch_size()), logs(2);
  double entropy = 0;
  softmax.Probabilities(Eigen::Vector2d(0, -1000), 5 * Matrix::Identity(2, 2), scratch, logs,
                        &entropy);
  EXPECT_NEAR(logs[1], -995, 0.01);
}

TEST(WidthOf, IsTheVarianceOfIndependentLogitsWhateverTheyShare) {
  const Matrix covariance = 3 * Matrix::Identity(4, 4) + Matrix::Constant(4, 4, 50);
  EXPECT_NEAR(WidthOf(covariance), 3, 1e-12);
}

}  // namespace
}  // namespace prequel::wide_softmax_test
