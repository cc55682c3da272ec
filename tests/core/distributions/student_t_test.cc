// Reference values by mpmath at 30 digits unless a closed form is given.
#include "core/distributions/student_t.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::student_t_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StudentT Standard(double dof) { return {0, 1, dof, 0}; }

TEST(StudentT, OneDegreeIsCauchy) {
  const StudentT t = Standard(1);
  for (const double z : {-40.0, -1.0, -0.1, 0.0, 0.7, 3.0}) {
    EXPECT_NEAR(t.Cdf(z), 0.5 + std::atan(z) / M_PI, 1e-15);
    EXPECT_NEAR(t.LogDensity(z), -std::log(M_PI * (1 + z * z)), 1e-14);
  }
  EXPECT_NEAR(t.Quantile(0.9) / std::tan(0.4 * M_PI), 1, 1e-14);
  EXPECT_EQ(t.Crps(0), kInfinity);
}

TEST(StudentT, TwoDegrees) {
  const StudentT t = Standard(2);
  for (const double z : {-40.0, -1.0, -0.1, 0.0, 0.7, 3.0}) {
    EXPECT_NEAR(t.Cdf(z), 0.5 + z / (2 * std::sqrt(2 + z * z)), 1e-15);
    EXPECT_NEAR(t.LogDensity(z), -1.5 * std::log(2 + z * z), 1e-14);
  }
  for (const double p : {1e-8, 0.025, 0.4, 0.95}) {
    const double want = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(t.Quantile(p) / want, 1, 1e-12);
  }
  EXPECT_NEAR(t.Crps(0), 0.30349282783350362, 1e-15);
  EXPECT_NEAR(t.Crps(1.5), 0.95083207826923877, 1e-14);
  EXPECT_EQ(t.Variance(), kInfinity);
}

TEST(StudentT, ReferenceValues) {
  EXPECT_NEAR(Standard(3.5).Quantile(0.025), -2.9400886379827296, 1e-13);
  EXPECT_NEAR(Standard(10).Quantile(0.95), 1.812461122811676, 1e-13);
  EXPECT_NEAR(Standard(1e4).Quantile(0.025), -1.9602012398918, 1e-10);
  EXPECT_NEAR(Standard(10).Cdf(-40) / 1.140428872e-12, 1, 1e-9);
  EXPECT_NEAR(Standard(3.5).Crps(1.5), 0.96066675073789221, 1e-14);
  EXPECT_NEAR(Standard(100).Crps(0), 0.23474794914755059, 1e-14);
  EXPECT_NEAR(Standard(2e5).Crps(1.5), 0.9944232355695, 1e-11);
}

TEST(StudentT, InfiniteDegreesAreNormal) {
  const StudentT t{2, 3, kInfinity, 0.25};
  EXPECT_NEAR(t.LogDensity(5), -0.5 - std::log(3 * std::sqrt(2 * M_PI)), 1e-15);
  EXPECT_NEAR(t.Cdf(2 - 3 * 1.959963984540054), 0.025, 1e-15);
  EXPECT_NEAR(t.Quantile(0.975), 2 + 3 * 1.959963984540054, 1e-13);
  EXPECT_NEAR(t.Crps(2), 3 * (std::sqrt(2) - 1) / std::sqrt(M_PI), 1e-14);
  EXPECT_NEAR(t.Variance(), 9, 1e-15);
  EXPECT_NEAR(t.EpistemicVariance(), 2.25, 1e-15);
  EXPECT_NEAR(t.AleatoricVariance(), 6.75, 1e-15);
}

TEST(StudentT, TendsToTheNormal) {
  for (const double z : {-5.0, -1.0, 0.3, 2.0}) {
    const StudentT far = Standard(1e13), normal = Standard(kInfinity);
    EXPECT_NEAR(far.Cdf(z) / normal.Cdf(z), 1, 1e-10);
    EXPECT_NEAR(far.LogDensity(z), normal.LogDensity(z), 1e-10);
    EXPECT_NEAR(far.Crps(z), normal.Crps(z), 1e-11);
    EXPECT_NEAR(Standard(99999).Cdf(z), Standard(100001).Cdf(z), 1e-9);
  }
}

TEST(StudentT, QuantileInvertsCdf) {
  for (const double dof : {0.5, 1.5, 3.0, 30.0, 3e3, 3e6}) {
    const StudentT t{-1, 2, dof, 0};
    for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.8, 0.999}) {
      EXPECT_NEAR(t.Cdf(t.Quantile(p)) / p, 1, 1e-9) << dof << " " << p;
    }
  }
}

// Trapezoidal rule in u for ∫ (F(x) − 1{x ≥ y})² dx with x = y ± sinh u.
TEST(StudentT, CrpsIsTheIntegralOfTheSquaredCdfError) {
  for (const double dof : {3.0, 8.0, 1e6, kInfinity}) {
    const StudentT t{0.5, 1.5, dof, 0};
    const double y = 1.8;
    constexpr double kStep = 1e-3;
    double integral = 0;
    for (int k = 0; k <= 14000; ++k) {
      const double u = k * kStep, x = std::sinh(u), weight = k == 0 ? 0.5 : 1;
      const double below = t.Cdf(y - x), above = 1 - t.Cdf(y + x);
      integral += weight * kStep * std::cosh(u) * (below * below + above * above);
    }
    EXPECT_NEAR(t.Crps(y), integral, 1e-6) << dof;
  }
}

TEST(StudentT, AffineMovesEverything) {
  const StudentT t{1, 2, 5, 0.3}, moved = t.Affine(10, 4);
  EXPECT_NEAR(moved.Mean(), 10 + 4 * t.Mean(), 1e-14);
  EXPECT_NEAR(moved.Variance(), 16 * t.Variance(), 1e-12);
  EXPECT_NEAR(moved.Quantile(0.2), 10 + 4 * t.Quantile(0.2), 1e-12);
  EXPECT_NEAR(moved.LogDensity(10 + 4 * 0.7), t.LogDensity(0.7) - std::log(4), 1e-14);
}

}  // namespace
}  // namespace prequel::student_t_test
