#include "core/linalg/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::quadrature_test {
namespace {

// E Z^d = (d − 1)!! for even d.
TEST(Quadrature, IsExactForPolynomialsUpToDegree39) {
  const auto& [nodes, weights] = NormalQuadrature();
  double moment = 1;
  for (int degree = 0; degree <= 38; degree += 2) {
    if (degree > 0) moment *= degree - 1;
    EXPECT_NEAR((weights * nodes.pow(degree)).sum() / moment, 1, 1e-13) << degree;
    EXPECT_NEAR((weights * nodes.pow(degree + 1)).sum() / moment, 0, 1e-13) << degree + 1;
  }
  // One degree further it is not: the test can tell.
  EXPECT_GT(std::abs((weights * nodes.pow(40)).sum() / (moment * 39) - 1), 1e-12);
}

TEST(Quadrature, MatchesTheTables) {  // Abramowitz and Stegun 25.10, scaled by √2 and 1/√π
  const auto& [nodes, weights] = NormalQuadrature();
  EXPECT_NEAR(nodes[10], 0.2453407083009012 * std::sqrt(2), 1e-14);
  EXPECT_NEAR(nodes[19], 5.387480890011233 * std::sqrt(2), 1e-14);
  EXPECT_NEAR(weights[10], 0.4622436696006101 / std::sqrt(M_PI), 1e-14);
  EXPECT_NEAR(weights[19] / (2.229393645534151e-13 / std::sqrt(M_PI)), 1, 1e-12);
}

TEST(Quadrature, IsSymmetric) {
  const auto& [nodes, weights] = NormalQuadrature();
  EXPECT_TRUE((nodes == -nodes.reverse()).all());
  EXPECT_LT((weights / weights.reverse() - 1).abs().maxCoeff(), 1e-12);
}

TEST(Quadrature, LargeRulesIntegrateTheCosine) {  // E cos(aZ) = e^{−a²/2}
  const auto rule = MakeGaussHermite(150);
  EXPECT_NEAR((rule.weights * (3 * rule.nodes).cos()).sum(), std::exp(-4.5), 1e-14);
}

}  // namespace
}  // namespace prequel::quadrature_test
