#include "core/linalg/sum_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random/philox.h"

namespace prequel::sum_log_test {
namespace {

TEST(SumLog, IsTheSumOfLogarithms) {
  for (const Index size : {0, 1, 7, 8, 9, 1000, 20011}) {
    Vector x(size);
    FillNormal(Stream{1, 2, 3}, x);
    x = (100 * x.array()).exp();  // e^{±400}: products of a few overflow or underflow
    double sum = 0, magnitude = 1;
    for (const double value : x) {
      sum += std::log(value);
      magnitude += std::abs(std::log(value));
    }
    EXPECT_NEAR(SumLog(x), sum, 1e-15 * magnitude * std::sqrt(static_cast<double>(size) + 1))
        << size;
  }
}

TEST(SumLog, IsAccurateNearOne) {
  const Vector x = Vector::Constant(4096, 1 - 1e-9);
  EXPECT_NEAR(SumLog(x) / (4096 * std::log1p(-1e-9)), 1, 1e-6);
}

TEST(SumLog, IsNotFiniteWhereOneLogarithmIsNot) {
  using Limits = std::numeric_limits<double>;
  for (const double bad : {0.0, -1.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                           Limits::denorm_min()}) {
    for (const Index at : {0, 13, 16}) {
      Vector x = Vector::Constant(17, 2.0);
      x[at] = bad;
      EXPECT_FALSE(std::isfinite(SumLog(x))) << bad << " at " << at;
    }
  }
}

}  // namespace
}  // namespace prequel::sum_log_test
