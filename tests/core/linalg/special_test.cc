// Reference values by mpmath at 40 digits.
#include "core/linalg/special.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::special_test {
namespace {

void ExpectRelative(double got, double want, double tolerance) {
  EXPECT_NEAR(got / want, 1, tolerance) << "got " << got << ", want " << want;
}

TEST(Special, GammaFunctions) {
  ExpectRelative(LogGamma(10.5), std::log(1133278.3889487855), 1e-14);
  ExpectRelative(LogGammaHalfStep(0.5), -0.57236494292470008707, 1e-15);
  ExpectRelative(LogGammaHalfStep(5), 0.77976013, 1e-8);
  for (const double x : {24.0, 25.0, 30.0, 90.0}) {  // both sides of the switch to the series
    EXPECT_NEAR(LogGammaHalfStep(x), std::lgamma(x + 0.5) - std::lgamma(x), 2e-13);
  }
  EXPECT_NEAR(LogGammaHalfStep(1e12), 0.5 * std::log(1e12), 1e-12);
}

// ψ(1) = −γ, ψ(½) = −γ − 2 log 2, ψ(x + 1) = ψ(x) + 1/x; and the slope of log Γ.
TEST(Special, Digamma) {
  constexpr double kEuler = 0.57721566490153286;
  EXPECT_NEAR(Digamma(1), -kEuler, 1e-14);
  EXPECT_NEAR(Digamma(0.5), -kEuler - 2 * std::log(2.0), 1e-14);
  for (const double x : {0.1, 0.9, 7.0, 1e3, 1e9}) {
    EXPECT_NEAR(Digamma(x + 1), Digamma(x) + 1 / x, 1e-13 * (1 + std::abs(Digamma(x)) + 1 / x));
    const double h = 1e-5 * x;
    EXPECT_NEAR((LogGamma(x + h) - LogGamma(x - h)) / (2 * h), Digamma(x),
                1e-6 * (1 + std::abs(Digamma(x)) + 1 / x));
  }
}

TEST(Special, Normal) {
  EXPECT_EQ(NormalCdf(0), 0.5);
  ExpectRelative(NormalCdf(-10), 7.619853024160527e-24, 1e-13);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(1e-10), -6.361340902404056, 1e-13);
}

TEST(Special, SoftplusAtTheExtremes) {
  EXPECT_EQ(Softplus(1e3), 1e3);
  EXPECT_EQ(Softplus(-1e3), 0);
  EXPECT_NEAR(Softplus(0), std::log(2), 1e-16);
  ExpectRelative(Softplus(-30), std::exp(-30), 1e-12);
}

TEST(Special, IncompleteBetaClosedForms) {
  // I_x(1, b) = 1 − (1 − x)^b; I_x(½, ½) = (2/π) asin √x.
  EXPECT_NEAR(IncompleteBeta(1, 3, 0.2), 1 - std::pow(0.8, 3), 1e-15);
  EXPECT_NEAR(IncompleteBeta(0.5, 0.5, 0.3), 2 / M_PI * std::asin(std::sqrt(0.3)), 1e-14);
}

TEST(Special, UpperIncompleteGammaIsAPoissonSum) {
  for (const double rate : {0.3, 2.0, 11.0, 40.0}) {
    double sum = 0, term = std::exp(-rate);
    for (int k = 0; k <= 20; ++k) {
      sum += term;
      EXPECT_NEAR(UpperIncompleteGamma(k + 1, rate), sum, 1e-13);
      term *= rate / (k + 1);
    }
  }
}

TEST(Special, UpperIncompleteGammaIsContinuousAtTheExpansion) {
  for (const double z : {-3.0, -0.5, 0.0, 0.001, 1.0, 4.0}) {
    const double below = 1e5 - 1e-4, above = 1e5 + 1e-4;
    const double scale = std::sqrt(1e5);
    EXPECT_NEAR(UpperIncompleteGamma(below, below + z * scale),
                UpperIncompleteGamma(above, above + z * scale), 1e-9);
  }
  EXPECT_EQ(UpperIncompleteGamma(1e9, 2e9), 0);
  EXPECT_EQ(UpperIncompleteGamma(1e9, 0.5e9), 1);
}

}  // namespace
}  // namespace prequel::special_test
