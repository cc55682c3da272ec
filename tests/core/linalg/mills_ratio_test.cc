// Against erfc, and the asymptotic series where that underflows.
#include "core/linalg/mills_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace prequel::mills_ratio_test {
namespace {

using Numbers = Eigen::Array<double, 4, 1>;

double Exact(double x) {
  const long double z = x;
  if (z > 100) {  // the asymptotic series
    const long double u = 1 / (z * z);
    return static_cast<double>((1 - u * (1 - 3 * u * (1 - 5 * u))) / z);
  }
  return static_cast<double>(std::sqrt(std::numbers::pi_v<long double> / 2) * std::exp(z * z / 2) *
                             std::erfc(z / std::numbers::sqrt2_v<long double>));
}

TEST(MillsRatio, IsTheTailBesideTheDensity) {
  for (double x = 0; x < 1e6; x = 1.1 * x + 0.01) {
    const Numbers at = Numbers::Constant(x);
    EXPECT_NEAR(MillsRatio<4>(at)[2] / Exact(x), 1, 2e-12) << x;
    EXPECT_NEAR(RoughMillsRatio<4>(at)[1] / Exact(x), 1, 6e-8) << x;
  }
}

}  // namespace
}  // namespace prequel::mills_ratio_test
