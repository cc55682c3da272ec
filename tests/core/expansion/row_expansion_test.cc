#include "core/expansion/row_expansion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>

namespace prequel {
namespace {

// A row is a minibatch of one, of whichever likelihood: near, wide, far out, and known exactly.
TEST(RowExpansion, IsThatOfAMinibatchOfOne) {
  NoiseLevel noise;
  noise.variance = Vector::Constant(1, 0.3);
  for (const Likelihood& likelihood :
       {Likelihood(Gaussian()), Likelihood(Bernoulli()), Likelihood(Poisson())}) {
    RowExpansion row;
    row.Bind(likelihood, noise);
    for (const double target : {0.0, 1.0}) {
      row.Take(target);
      for (const double mean : {-400.0, -7.0, 0.2, 3.0}) {
        for (const double variance : {0.0, 0.5, 4.0, 5.0, 900.0}) {
          if (std::holds_alternative<Poisson>(likelihood) && variance > 4) continue;
          LogitMoments moments{.mean = Matrix::Constant(1, 1, mean),
                               .covariance = Matrix::Constant(1, 1, variance)};
          const Matrix targets = Matrix::Constant(1, 1, target);
          LocalExpansion want;
          const double wide = variance > 4 ? 1e-6 : 1e-12;  // of the expansion alone
          const auto check = [&](double log_density, double most) {
            std::visit([&](const auto& l) { l.Expand(moments, targets, noise, want); }, likelihood);
            const double curvature = want.root.squaredNorm();
            EXPECT_NEAR(log_density, want.log_density, most * (1 + std::abs(want.log_density)))
                << likelihood.index() << ": " << target << ", " << mean << ", " << variance;
            EXPECT_NEAR(row.score(), want.score(0, 0), most * (1 + std::abs(want.score(0, 0))));
            EXPECT_NEAR(row.curvature(), curvature, 10 * most * curvature);
          };
          check(row.Expect(Expectation::kLinearized, mean, variance), wide);
          moments.covariance.resize(1, 0);
          check(row.Expect(Expectation::kAtMean, mean, variance), 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace prequel
