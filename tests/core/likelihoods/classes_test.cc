// What bernoulli and categorical say of classes: probabilities, their logarithms, entropies.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/config/field_error.h"
#include "core/likelihoods/bernoulli.h"
#include "core/likelihoods/categorical.h"
#include "core/linalg/quadrature.h"
#include "core/linalg/special.h"
#include "tests/core/finite_difference.h"
#include "tests/core/softmax_on_grid.h"

namespace prequel::classes_test {
namespace {

template <class L>
absl::Status Configure(L& likelihood, const TargetConfig& target) {
  const ComponentConfig config{std::string(L::kName), {}};
  Options options("config.likelihood", config);
  return likelihood.Configure(options, target);
}

Categorical CategoricalOf(Index classes) {
  Categorical likelihood;
  EXPECT_TRUE(Configure(likelihood, {.name = "y", .num_classes = classes}).ok());
  return likelihood;
}

double Sigmoid(double f) { return 1 / (1 + std::exp(-f)); }

double BinaryEntropy(double f) { return Softplus(f) - f * Sigmoid(f); }

TEST(BernoulliProbabilities, MatchAFineRule) {
  const GaussHermite<Eigen::Dynamic> rule = MakeGaussHermite(250);
  for (const double mean : {-6.0, -1.0, 0.0, 0.4, 5.0}) {
    for (const double variance : {0.01, 1.0, 4.0}) {
      double one = 0, entropy = 0;
      for (Index k = 0; k < rule.nodes.size(); ++k) {
        const double f = mean + std::sqrt(variance) * rule.nodes[k];
        one += rule.weights[k] * Sigmoid(f);
        entropy += rule.weights[k] * BinaryEntropy(f);
      }
      ClassPredictive p;
      Bernoulli().Probabilities({Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, variance)},
                                p);
      const double tolerance = variance > 1 ? 1e-5 : 1e-8;
      EXPECT_NEAR(p.probabilities(1, 0), one, tolerance);
      EXPECT_NEAR(p.expected_entropy[0], entropy, tolerance);
    }
  }
}

TEST(BernoulliProbabilities, AtTheMeanAreTheFormula) {
  Matrix mean(1, 13);
  mean.row(0) = Vector::LinSpaced(13, -3, 3);
  ClassPredictive p;
  Bernoulli().Probabilities({mean, Matrix(1, 0)}, p);
  for (Index i = 0; i < 13; ++i) {
    EXPECT_NEAR(p.probabilities(1, i), Sigmoid(mean(0, i)), 1e-15);
    EXPECT_NEAR(p.log_probabilities(0, i), -Softplus(mean(0, i)), 1e-14);
    EXPECT_NEAR(p.expected_entropy[i], BinaryEntropy(mean(0, i)), 1e-14);
  }
}

TEST(BernoulliProbabilities, LogarithmsSurviveUnderflow) {
  Matrix mean(1, 4), covariance(1, 4);
  mean << -1e3, 1e3, -200, 30;
  covariance << 0, 0, 1, 0;
  ClassPredictive p;
  Bernoulli().Probabilities({mean, covariance}, p);
  EXPECT_NEAR(p.log_probabilities(1, 0), -1e3, 1e-9);
  EXPECT_NEAR(p.log_probabilities(0, 1), -1e3, 1e-9);
  EXPECT_NEAR(p.log_probabilities(1, 2), -200 + 0.5, 1e-6);  // E e^f = e^{f̂ + v/2}
  EXPECT_NEAR(p.log_probabilities(1, 3) / -std::exp(-30), 1, 2e-3);
}

template <class L>
void ExpectConsistent(const L& likelihood, const LogitMoments& moments) {
  ClassPredictive p;
  likelihood.Probabilities(moments, p);
  const auto classes = static_cast<double>(likelihood.num_classes());
  for (Index i = 0; i < moments.mean.cols(); ++i) {
    EXPECT_NEAR(p.probabilities.col(i).sum(), 1, 1e-14);
    EXPECT_TRUE(p.log_probabilities.col(i).allFinite());
    EXPECT_LT(
        RelativeError(p.log_probabilities.col(i).array().exp().matrix(), p.probabilities.col(i)),
        1e-12);
    const double total = -p.probabilities.col(i).dot(p.log_probabilities.col(i));
    EXPECT_GE(p.expected_entropy[i], 0);
    EXPECT_LE(p.expected_entropy[i], total + 1e-12);  // Jensen
    EXPECT_LE(total, std::log(classes) + 1e-12);
  }
}

TEST(ClassPredictive, IsConsistentAtEverySize) {
  for (const double size : {0.0, 1.0, 30.0, 1e3}) {
    for (const double variance : {0.0, 0.5, 10.0, 1e4}) {
      Matrix mean = Matrix::Constant(1, 9, size);
      mean.rightCols(4) *= -1;
      ExpectConsistent(Bernoulli(), {mean, Matrix::Constant(1, 9, variance)});
      Matrix logits = Matrix::Zero(5, 2);
      logits(0, 0) = logits(4, 1) = size;
      ExpectConsistent(CategoricalOf(5),
                       {logits, (variance * Matrix::Identity(5, 5)).replicate(1, 2)});
    }
  }
}

// With two classes softmax is the logistic of the difference, whose variance is known.
TEST(Categorical, OfTwoClassesIsBernoulli) {
  const Categorical likelihood = CategoricalOf(2);
  Matrix covariance(2, 2);
  covariance << 1.2, 0.3, 0.3, 0.8;
  const Matrix mean = Eigen::Vector2d(0.2, 0.9);
  ClassPredictive two, one;
  likelihood.Probabilities({mean, covariance}, two);
  Bernoulli().Probabilities({Matrix::Constant(1, 1, 0.7), Matrix::Constant(1, 1, 1.4)}, one);
  EXPECT_NEAR(two.probabilities(1, 0), one.probabilities(1, 0), 3e-3);
  EXPECT_NEAR(two.expected_entropy[0], one.expected_entropy[0], 3e-3);
}

TEST(Categorical, ManyClasses) {
  const Categorical likelihood = CategoricalOf(100);
  Matrix mean = Matrix::Zero(100, 1);
  mean(7, 0) = 3;
  const Matrix covariance = 0.5 * Matrix::Identity(100, 100) + Matrix::Ones(100, 100);
  LocalExpansion e;
  likelihood.Expand({mean, covariance}, Matrix::Constant(1, 1, 7), {}, e);
  EXPECT_NEAR(e.score.sum(), 0, 1e-13);
  const Matrix curvature = e.root * e.root.transpose();
  EXPECT_LT((curvature * Vector::Ones(100)).cwiseAbs().maxCoeff(), 1e-13);  // W 1 = 0
  EXPECT_NEAR(e.score(7, 0), 1 - std::exp(3.0) / (std::exp(3.0) + 99), 0.03);
}

// A class whose probability is tiny keeps its curvature to full relative accuracy.
// Ten independent logits of one variance: what is answered and what is learned of the first.
struct Wide {
  ClassPredictive predictive;
  LocalExpansion expansion;
  LogitMoments moments;

  explicit Wide(double variance) {
    const Categorical likelihood = CategoricalOf(10);
    moments.mean = std::sqrt(variance) * Vector::LinSpaced(10, -1, 1);
    moments.covariance = variance * Matrix::Identity(10, 10);
    likelihood.Probabilities(moments, predictive);
    likelihood.Expand(moments, Matrix::Zero(1, 1), {}, expansion);
  }
};

TEST(Categorical, OfWideLogitsIsRightInAnswersAndInLearning) {
  for (const double deviation : {1.7, 1.9, 3.0, 10.0, 30.0}) {
    SCOPED_TRACE(deviation);
    const double variance = deviation * deviation;
    const Wide got(variance);
    const SoftmaxOnGrid want = IndependentSoftmax(got.moments.mean, Vector::Constant(10, variance));
    EXPECT_LT((got.predictive.probabilities - want.probabilities).cwiseAbs().maxCoeff(), 0.01);
    EXPECT_LT(
        (got.expansion.score + want.probabilities - Vector::Unit(10, 0)).cwiseAbs().maxCoeff(),
        deviation > 20 ? 0.015 : 0.01);
    EXPECT_NEAR(got.expansion.log_density, got.moments.mean(0, 0) - want.log_sum, 0.03 * deviation);
    EXPECT_LT(
        (got.predictive.log_probabilities.array().exp().matrix() - got.predictive.probabilities)
            .cwiseAbs()
            .maxCoeff(),
        1e-12);
  }
}

// A line search compares log densities on both sides of where the two ways of taking them meet.
TEST(Categorical, DoesNotJumpWhereLogitsBecomeWide) {
  for (const double width : {Categorical::kNarrow, Categorical::kWide}) {
    const Wide below(width * (1 - 1e-7)), above(width * (1 + 1e-7));
    EXPECT_NEAR(below.expansion.log_density, above.expansion.log_density, 1e-6) << width;
    EXPECT_LT((below.expansion.score - above.expansion.score).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT(
        (below.predictive.probabilities - above.predictive.probabilities).cwiseAbs().maxCoeff(),
        1e-6);
  }
}

TEST(Categorical, RootIsAccurateForRareClasses) {
  const Categorical likelihood = CategoricalOf(3);
  Matrix mean(3, 1);
  mean << 0, -50, 60;
  LocalExpansion e;
  likelihood.Expand({mean, Matrix(3, 0)}, Matrix::Constant(1, 1, 2), {}, e);
  const Matrix curvature = e.root * e.root.transpose();
  EXPECT_NEAR(curvature(0, 0) / std::exp(-60), 1, 1e-12);
  EXPECT_NEAR(curvature(2, 2) / std::exp(-60), 1, 1e-12);
  EXPECT_NEAR(curvature(1, 0) / -std::exp(-170), 1, 1e-12);
  EXPECT_NEAR(e.score(2, 0) / std::exp(-60), 1, 1e-12);
}

TEST(ClassLikelihoods, RejectTheWrongNumberOfClasses) {
  Bernoulli bernoulli;
  EXPECT_EQ(FieldOf(Configure(bernoulli, {.name = "y", .num_classes = 3})),
            "config.target.num_classes");
  EXPECT_EQ(FieldOf(Configure(bernoulli, {.name = "y", .labels = {"a", "b", "c"}})),
            "config.target.labels");
  Categorical categorical;
  EXPECT_EQ(FieldOf(Configure(categorical, {.name = "y"})), "config.target.num_classes");
  EXPECT_EQ(FieldOf(Configure(categorical, {.name = "y", .labels = {"a"}})),
            "config.target.labels");
  EXPECT_TRUE(Configure(categorical, {.name = "y", .labels = {"a", "b", "c"}}).ok());
  EXPECT_EQ(categorical.num_logits(), 3);
  EXPECT_EQ(categorical.TargetProblem(3), "a class index from 0 to 2");
}

}  // namespace
}  // namespace prequel::classes_test
