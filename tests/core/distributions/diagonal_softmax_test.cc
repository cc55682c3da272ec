// Against the sigmoid of two classes, a grid over all logits of three, and finite differences.
#include "core/distributions/diagonal_softmax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/distributions/sigmoid_normal.h"
#include "core/random/philox.h"
#include "tests/core/finite_difference.h"
#include "tests/core/softmax_on_grid.h"

namespace prequel::diagonal_softmax_test {
namespace {

struct Expectations {
  Vector probabilities;
  double entropy = 0, log_density = 0;
  Vector score;
  Matrix second_moment;
};

Expectations Expect(const Vector& mean, const Vector& variances, Index label) {
  const Index classes = mean.size();
  const DiagonalSoftmax softmax(classes);
  Vector scratch(softmax.scratch_size()), logs(classes);
  Expectations e{Vector(classes), 0, 0, Vector(classes), Matrix::Zero(classes, classes)};
  softmax.Probabilities(mean, variances, scratch, logs, &e.entropy);
  e.probabilities = logs.array().exp();
  softmax.Expand(mean, variances, label, scratch, &e.log_density, e.score, e.second_moment);
  return e;
}

// Of three classes, over all of R³: no property of the softmax is used.
Expectations OnGrid(const Vector& mean, const Vector& variances, Index label) {
  constexpr int kHalf = 40;
  constexpr double kSpacing = 0.16;
  Expectations e{Vector::Zero(3), 0, 0, Vector::Zero(3), Matrix::Zero(3, 3)};
  double total = 0;
  Eigen::Vector3d f;
  for (int i = -kHalf; i <= kHalf; ++i) {
    for (int j = -kHalf; j <= kHalf; ++j) {
      for (int k = -kHalf; k <= kHalf; ++k) {
        const Eigen::Vector3d z = kSpacing * Eigen::Vector3d(i, j, k);
        const double weight = std::exp(-0.5 * z.squaredNorm());
        if (weight < 1e-12) continue;
        f = mean + variances.cwiseSqrt().cwiseProduct(z);
        const double high = f.maxCoeff();
        const double log_sum = high + std::log((f.array() - high).exp().sum());
        const Eigen::Vector3d p = (f.array() - log_sum).exp();
        total += weight;
        e.probabilities += weight * p;
        e.entropy -= weight * p.dot((f.array() - log_sum).matrix());
        e.log_density += weight * (f[label] - log_sum);
        e.second_moment += weight * p * p.transpose();
      }
    }
  }
  e.probabilities /= total;
  e.entropy /= total;
  e.log_density /= total;
  e.second_moment /= total;
  return e;
}

TEST(DiagonalSoftmax, OfThreeClassesIsTheIntegralOverAllOfThem) {
  const Eigen::Vector3d mean(0.4, -1.1, 0.9);
  for (const double scale : {0.0, 0.3, 1.0, 4.0}) {
    const Eigen::Vector3d variances = scale * Eigen::Vector3d(1.0, 0.2, 2.5);
    const Expectations got = Expect(mean, variances, 1), want = OnGrid(mean, variances, 1);
    EXPECT_LT((got.probabilities - want.probabilities).cwiseAbs().maxCoeff(), 3e-6) << scale;
    EXPECT_NEAR(got.entropy, want.entropy, 1e-5) << scale;
    EXPECT_NEAR(got.log_density, want.log_density, 1e-5) << scale;
    EXPECT_NEAR(got.score.sum(), 0, 1e-15);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(got.score[c], (c == 1 ? 1 : 0) - want.probabilities[c], 3e-6) << scale;
      for (Index j = 0; j < c; ++j) {
        EXPECT_NEAR(got.second_moment(c, j), want.second_moment(c, j), 3e-6) << scale;
      }
    }
  }
}

TEST(DiagonalSoftmax, OfTwoClassesIsTheSigmoid) {
  for (const double m : {0.0, 1.0, 5.0, -8.0}) {
    for (const double v : {0.01, 1.0, 10.0, 1e3}) {
      const Expectations got = Expect(Eigen::Vector2d(m, 0), Eigen::Vector2d(v, 0.5 * v), 0);
      SigmoidExpectations want;
      ExpectSigmoid(Lane::Constant(m), Lane::Constant(std::sqrt(1.5 * v)), {.log_sigmoid = true},
                    want);
      EXPECT_NEAR(got.probabilities[0] / want.one[0], 1, 1e-3) << m << " " << v;
      EXPECT_NEAR(got.probabilities[1] / want.zero[0], 1, 1e-3) << m << " " << v;
      EXPECT_NEAR(got.second_moment(1, 0) / want.curvature[0], 1, 1e-3) << m << " " << v;
      EXPECT_NEAR(got.log_density, want.log_sigmoid[0], 1e-5 * (1 + std::abs(want.log_sigmoid[0])))
          << m << " " << v;
    }
  }
}

TEST(DiagonalSoftmax, OfManyWideClassesMatchesADenseGrid) {
  for (const Index classes : {26, 64}) {
    Matrix normals(classes, 2);
    FillNormal(Stream{11, 0, static_cast<std::uint32_t>(classes)}, normals);
    for (const double deviation : {1.5, 5.0, 20.0}) {
      const Vector mean = 0.5 * deviation * normals.col(0);
      const Vector variances =
          deviation * deviation * (0.2 + 0.8 * normals.col(1).array().abs().min(1.0));
      const SoftmaxOnGrid want = IndependentSoftmax(mean, variances);
      const Expectations got = Expect(mean, variances, 3);
      EXPECT_LT((got.probabilities - want.probabilities).cwiseAbs().maxCoeff(), 1e-5);
      for (Index c = 0; c < classes; ++c) {
        if (want.probabilities[c] < 1e-6) continue;
        const double error = want.probabilities[c] > 1e-4 ? 1e-3 : 5e-3;
        EXPECT_NEAR(got.probabilities[c] / want.probabilities[c], 1, error);
      }
      EXPECT_NEAR(got.log_density, mean[3] - want.log_sum, 1e-4 * deviation);
    }
  }
}

TEST(DiagonalSoftmax, TheScoreIsTheGradient) {
  const Eigen::Vector4d variances(9, 4, 0.3, 30);
  const Eigen::Vector4d mean(0.3, -2, 1, 2.2);
  const Vector gradient =
      NumericGradient([&](const Vector& m) { return Expect(m, variances, 2).log_density; }, mean);
  EXPECT_LT((gradient - Expect(mean, variances, 2).score).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(DiagonalSoftmax, EntropyIsBetweenNothingAndThatOfTheMean) {
  const Eigen::Vector4d mean(1, -2, 60, -300);
  for (const double v : {1e-6, 1.0, 100.0, 1e4}) {
    const Expectations e = Expect(mean, Vector::Constant(4, v), 0);
    const double of_mean =
        -(e.probabilities.array() * e.probabilities.array().max(1e-300).log()).sum();
    EXPECT_GE(e.entropy, -1e-5 * (1 + v));
    EXPECT_LE(e.entropy, of_mean + 1e-5 * (1 + v));
    EXPECT_TRUE(e.score.allFinite() && std::isfinite(e.log_density));
  }
}

TEST(DiagonalSoftmax, CoversIndependentLogitsAlone) {
  Matrix covariance = Eigen::Vector3d(1, 2, 3).asDiagonal();
  EXPECT_TRUE(DiagonalSoftmax::Covers(covariance));
  covariance(0, 2) = covariance(2, 0) = 1e-9;
  EXPECT_FALSE(DiagonalSoftmax::Covers(covariance));
}

}  // namespace
}  // namespace prequel::diagonal_softmax_test
