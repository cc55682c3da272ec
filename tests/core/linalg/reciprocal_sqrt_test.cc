#include "core/linalg/reciprocal_sqrt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace prequel::reciprocal_sqrt_test {
namespace {

TEST(ReciprocalSqrt, IsExactToRoundingAtAllMagnitudes) {
  for (int exponent = -1000; exponent <= 1000; exponent += 25) {
    for (int i = 0; i < 100; ++i) {
      const double x = std::ldexp(1 + 0.03 * i, exponent);
      EXPECT_NEAR(ReciprocalSqrt(x) * std::sqrt(x), 1, 8e-16) << x;
    }
  }
}

TEST(ReciprocalSqrt, DoesNotHideWhatIsNotFinite) {
  EXPECT_FALSE(std::isfinite(ReciprocalSqrt(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(std::isfinite(ReciprocalSqrt(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace prequel::reciprocal_sqrt_test
