// Every likelihood against numeric derivatives, closed forms and brute-force expectations.
#include "core/likelihoods/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/config/field_error.h"
#include "core/linalg/quadrature.h"
#include "core/random/philox.h"
#include "tests/core/finite_difference.h"

namespace prequel::likelihood_test {
namespace {

// What a likelihood is compared with: log p(y | f) by its textbook formula.
template <class L>
struct Oracle;

template <>
struct Oracle<Gaussian> {
  static TargetConfig Target() { return {.name = "y", .width = 2}; }
  static constexpr double kTolerance = 1e-10;  // of expectations
  static double LogDensity(const Vector& f, const Vector& y) {
    const Vector variance = Noise().variance;
    double sum = 0;
    for (Index c = 0; c < f.size(); ++c) {
      sum -= 0.5 * std::log(2 * std::numbers::pi * variance[c]) +
             0.5 * (y[c] - f[c]) * (y[c] - f[c]) / variance[c];
    }
    return sum;
  }
  static Vector Draw(double uniform) { return Eigen::Vector2d(3 * uniform - 1, -uniform); }
  static NoiseLevel Noise() {
    return {Eigen::Vector2d(0.3, 2.0),
            Vector::Constant(2, std::numeric_limits<double>::infinity())};
  }
};

template <>
struct Oracle<Bernoulli> {
  static TargetConfig Target() { return {.name = "y", .num_classes = 2}; }
  static constexpr double kTolerance = 2e-5;
  static double LogDensity(const Vector& f, const Vector& y) {
    return -std::log1p(std::exp(y[0] == 1 ? -f[0] : f[0]));
  }
  static Vector Draw(double uniform) { return Vector::Constant(1, uniform < 0.5 ? 0 : 1); }
  static NoiseLevel Noise() { return {}; }
};

template <>
struct Oracle<Categorical> {
  static TargetConfig Target() { return {.name = "y", .num_classes = 3}; }
  static constexpr double kTolerance = 0.03;
  static double LogDensity(const Vector& f, const Vector& y) {
    return f[static_cast<Index>(y[0])] - std::log(f.array().exp().sum());
  }
  static Vector Draw(double uniform) { return Vector::Constant(1, std::floor(3 * uniform)); }
  static NoiseLevel Noise() { return {}; }
};

template <>
struct Oracle<Poisson> {
  static TargetConfig Target() { return {.name = "y", .width = 2}; }
  static constexpr double kTolerance = 1e-10;
  static double LogDensity(const Vector& f, const Vector& y) {
    double sum = 0;
    for (Index c = 0; c < f.size(); ++c) {
      sum += y[c] * f[c] - std::exp(f[c]) - std::log(std::tgamma(y[c] + 1));
    }
    return sum;
  }
  static Vector Draw(double uniform) {
    return Eigen::Vector2d(std::floor(8 * uniform), std::floor(3 * uniform));
  }
  static NoiseLevel Noise() { return {}; }
};

// Of dispersion 1.
template <>
struct Oracle<NegativeBinomial> {
  static TargetConfig Target() { return {.name = "y", .width = 2}; }
  static constexpr double kTolerance = 1e-4;
  static double LogDensity(const Vector& f, const Vector& y) {
    double sum = 0;
    for (Index c = 0; c < f.size(); ++c) {
      sum += y[c] * f[c] - (y[c] + 1) * std::log1p(std::exp(f[c]));
    }
    return sum;
  }
  static Vector Draw(double uniform) { return Oracle<Poisson>::Draw(uniform); }
  static NoiseLevel Noise() { return {}; }
};

template <class L>
L Make() {
  const ComponentConfig config{std::string(L::kName), {}};
  Options options("config.likelihood", config);
  L likelihood;
  EXPECT_TRUE(likelihood.Configure(options, Oracle<L>::Target()).ok());
  return likelihood;
}

LogitMoments Exactly(const Matrix& logits) { return {logits, Matrix(logits.rows(), 0)}; }

template <class L>
LocalExpansion Expanded(const L& likelihood, const LogitMoments& moments, const Matrix& y) {
  LocalExpansion expansion;
  likelihood.Expand(moments, y, Oracle<L>::Noise(), expansion);
  return expansion;
}

// Random moments with full covariance blocks of deviation about `spread`, and targets.
struct Problem {
  LogitMoments moments;
  Matrix targets;
};

template <class L>
Problem Random(const L& likelihood, Index examples, double spread, std::uint64_t seed) {
  const Index logits = likelihood.num_logits();
  Problem p{{Matrix(logits, examples), Matrix(logits, logits * examples)},
            Matrix(likelihood.num_targets(), examples)};
  FillNormal(Stream{seed, 0, 0}, p.moments.mean);
  Vector uniforms(examples);
  FillUniform(Stream{seed, 0, 1}, uniforms);
  for (Index i = 0; i < examples; ++i) {
    Matrix factor(logits, logits);
    FillNormal(Stream{seed, static_cast<std::uint64_t>(i), 2}, factor);
    p.moments.covariance.middleCols(i * logits, logits) =
        spread * spread * factor * factor.transpose();
    p.targets.col(i) = Oracle<L>::Draw(uniforms[i]);
  }
  return p;
}

Matrix Curvature(const LocalExpansion& expansion, Index example, Index rank) {
  const Matrix root = expansion.root.middleCols(example * rank, rank);
  return root * root.transpose();
}

// E h(f), f ~ N(mean, covariance), on a tensor grid of Gauss–Hermite nodes. h returns a Matrix.
template <class H>
Matrix BruteForce(const Vector& mean, const Matrix& covariance, const H& h) {
  const GaussHermite<Eigen::Dynamic> rule = MakeGaussHermite(mean.size() == 1 ? 200 : 24);
  const Matrix factor = Eigen::LLT<Matrix>(covariance).matrixL();
  const Index count = rule.nodes.size();
  Matrix sum;
  std::vector<Index> at(static_cast<std::size_t>(mean.size()), 0);
  for (bool more = true; more;) {
    Vector z(mean.size());
    double weight = 1;
    for (Index c = 0; c < mean.size(); ++c) {
      z[c] = rule.nodes[at[static_cast<std::size_t>(c)]];
      weight *= rule.weights[at[static_cast<std::size_t>(c)]];
    }
    const Matrix term = weight * h(Vector(mean + factor * z));
    sum = sum.size() == 0 ? term : Matrix(sum + term);
    more = false;
    for (Index& index : at) {
      if (++index < count) {
        more = true;
        break;
      }
      index = 0;
    }
  }
  return sum;
}

template <class L>
class LikelihoodTest : public testing::Test {
 protected:
  const L likelihood_ = Make<L>();
};

template <class Variant>
struct TypesOf;
template <class... Ls>
struct TypesOf<std::variant<Ls...>> {
  using Types = testing::Types<Ls...>;
};
TYPED_TEST_SUITE(LikelihoodTest, TypesOf<Likelihood>::Types);

TYPED_TEST(LikelihoodTest, LogDensityAtTheMeanIsTheFormula) {
  const Problem p = Random(this->likelihood_, 11, 1, 1);
  double want = 0;
  for (Index i = 0; i < 11; ++i) {
    want += Oracle<TypeParam>::LogDensity(p.moments.mean.col(i), p.targets.col(i));
  }
  EXPECT_NEAR(Expanded(this->likelihood_, Exactly(p.moments.mean), p.targets).log_density, want,
              1e-12);
}

TYPED_TEST(LikelihoodTest, ScoreAndRootAtTheMeanAreDerivatives) {
  const TypeParam& likelihood = this->likelihood_;
  const Index rank = likelihood.curvature_rank();
  const Problem p = Random(likelihood, 9, 1, 2);
  const LocalExpansion e = Expanded(likelihood, Exactly(p.moments.mean), p.targets);
  for (Index i = 0; i < 9; ++i) {
    const auto log_density = [&](const Vector& f) {
      return Oracle<TypeParam>::LogDensity(f, p.targets.col(i));
    };
    const auto score = [&](const Vector& f) {
      return Vector(Expanded(likelihood, Exactly(f), p.targets.col(i)).score);
    };
    const Vector f = p.moments.mean.col(i);
    EXPECT_LT(RelativeError(e.score.col(i), NumericGradient(log_density, f)), 1e-9);
    EXPECT_LT(RelativeError(Curvature(e, i, rank), -NumericJacobian(score, f)), 1e-9);
  }
}

TYPED_TEST(LikelihoodTest, ExpectationsMatchBruteForce) {
  const TypeParam& likelihood = this->likelihood_;
  const Index logits = likelihood.num_logits(), rank = likelihood.curvature_rank();
  for (const double spread : {0.3, 1.0}) {
    const Problem p = Random(likelihood, 4, spread, 3);
    const LocalExpansion e = Expanded(likelihood, p.moments, p.targets);
    double log_density = 0;
    for (Index i = 0; i < 4; ++i) {
      const Vector y = p.targets.col(i);
      const Vector mean = p.moments.mean.col(i);
      const Matrix covariance = p.moments.covariance.middleCols(i * logits, logits);
      log_density += BruteForce(mean, covariance, [&](const Vector& f) {
        return Matrix::Constant(1, 1, Oracle<TypeParam>::LogDensity(f, y));
      })(0, 0);
      const Matrix score = BruteForce(mean, covariance, [&](const Vector& f) {
        return Expanded(likelihood, Exactly(f), y).score;
      });
      const Matrix curvature = BruteForce(mean, covariance, [&](const Vector& f) {
        return Curvature(Expanded(likelihood, Exactly(f), y), 0, rank);
      });
      constexpr double kTolerance = Oracle<TypeParam>::kTolerance;
      EXPECT_LT(RelativeError(e.score.col(i), score), kTolerance) << spread;
      EXPECT_LT(RelativeError(Curvature(e, i, rank), curvature), kTolerance) << spread;
    }
    EXPECT_NEAR(e.log_density, log_density, 4 * Oracle<TypeParam>::kTolerance);
  }
}

// Bonnet's theorem, ∂/∂f̂ E log p = E r: holds exactly, since the nodes move with the mean.
TYPED_TEST(LikelihoodTest, ExpectedScoreIsTheGradientOfTheExpectedLogDensity) {
  const TypeParam& likelihood = this->likelihood_;
  const Index logits = likelihood.num_logits();
  const Problem p = Random(likelihood, 5, 1.5, 4);
  const LocalExpansion e = Expanded(likelihood, p.moments, p.targets);
  for (Index i = 0; i < 5; ++i) {
    const Matrix covariance = p.moments.covariance.middleCols(i * logits, logits);
    const auto expected = [&](const Vector& mean) {
      return Expanded(likelihood, {mean, covariance}, p.targets.col(i)).log_density;
    };
    EXPECT_LT(RelativeError(e.score.col(i), NumericGradient(expected, p.moments.mean.col(i))),
              1e-8);
  }
}

TYPED_TEST(LikelihoodTest, ExamplesDoNotMix) {
  const TypeParam& likelihood = this->likelihood_;
  const Index logits = likelihood.num_logits(), rank = likelihood.curvature_rank();
  LocalExpansion all;
  for (const Index examples : {17, 8, 1, 9, 0}) {
    const Problem p = Random(likelihood, examples, 1, 5);
    likelihood.Expand(p.moments, p.targets, Oracle<TypeParam>::Noise(), all);
    ASSERT_EQ(all.score.cols(), examples);
    ASSERT_EQ(all.root.cols(), rank * examples);
    double sum = 0;
    for (Index i = 0; i < examples; ++i) {
      const LocalExpansion one = Expanded(
          likelihood, {p.moments.mean.col(i), p.moments.covariance.middleCols(i * logits, logits)},
          p.targets.col(i));
      sum += one.log_density;
      EXPECT_LT(RelativeError(all.score.col(i), one.score), 1e-14);
      EXPECT_LT(RelativeError(all.root.middleCols(i * rank, rank), one.root), 1e-14);
    }
    EXPECT_NEAR(all.log_density, sum, 1e-11);
  }
}

TYPED_TEST(LikelihoodTest, ExtremeLogitsStayFinite) {
  const TypeParam& likelihood = this->likelihood_;
  const Index logits = likelihood.num_logits();
  for (const double size : {-1e3, -40.0, 0.0, 40.0, 1e3}) {
    for (const double variance : {-1.0, 0.0, 1.0, 1e4, 1e6}) {
      Matrix mean = Matrix::Constant(logits, 3, -size);
      mean.row(0).setConstant(size);
      LogitMoments moments = Exactly(mean);
      if (variance >= 0) {
        moments.covariance = (variance * Matrix::Identity(logits, logits)).replicate(1, 3);
      }
      const Problem p = Random(likelihood, 3, 1, 6);
      const LocalExpansion e = Expanded(likelihood, moments, p.targets);
      EXPECT_TRUE(std::isfinite(e.log_density)) << size << " " << variance;
      EXPECT_TRUE(e.score.allFinite()) << size << " " << variance;
      EXPECT_TRUE((e.root * e.root.transpose()).allFinite()) << size << " " << variance;
    }
  }
}

TYPED_TEST(LikelihoodTest, NaNIsNotHidden) {
  const TypeParam& likelihood = this->likelihood_;
  Problem p = Random(likelihood, 3, 1, 7);
  p.moments.mean(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(Expanded(likelihood, p.moments, p.targets).log_density));
  const LogitMoments exact = Exactly(p.moments.mean);
  EXPECT_FALSE(std::isfinite(Expanded(likelihood, exact, p.targets).log_density));
}

TYPED_TEST(LikelihoodTest, TargetProblemSaysWhatWouldBeRight) {
  const TypeParam& likelihood = this->likelihood_;
  EXPECT_EQ(likelihood.TargetProblem(0), "");
  EXPECT_EQ(likelihood.TargetProblem(1), "");
  EXPECT_NE(likelihood.TargetProblem(std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_NE(likelihood.TargetProblem(std::numeric_limits<double>::infinity()), "");
  const bool is_gaussian = std::is_same_v<TypeParam, Gaussian>;
  EXPECT_EQ(likelihood.TargetProblem(-1).empty(), is_gaussian);
  EXPECT_EQ(likelihood.TargetProblem(0.5).empty(), is_gaussian);
}

}  // namespace
}  // namespace prequel::likelihood_test
