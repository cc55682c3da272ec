#include "core/distributions/student_t_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace prequel::student_t_rows_test {
namespace {

// From fewer degrees of freedom than one to all of them, in the centre and far out.
TEST(StudentTRows, AreWhatEachSays) {
  StudentTRows rows;
  for (const double dof :
       {0.7, 3.0, 13.0, 39.9, 40.0, 103.0, 2e4, 1e7, std::numeric_limits<double>::infinity()}) {
    std::vector<StudentT> of;
    std::vector<double> y;
    for (double z = -30; z <= 30; z += 0.37) {
      of.push_back({.location = 0.3, .scale = std::exp(0.1 * z), .dof = dof});
      y.push_back(0.3 + of.back().scale * z);
    }
    for (const double near : {0.3, 0.3 + 1e-9, 0.3 - 1e-5, 1e4}) {
      of.push_back({.location = 0.3, .scale = 2, .dof = dof});
      y.push_back(near);
    }
    std::vector<double> log_densities(of.size()), cdfs(of.size());
    rows.Evaluate(of, y, log_densities, cdfs);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const double want = of[i].LogDensity(y[i]);
      EXPECT_NEAR(log_densities[i], want, 1e-13 * (1 + std::abs(want))) << dof << ", " << y[i];
      EXPECT_NEAR(cdfs[i], of[i].Cdf(y[i]), 2e-11) << dof << ", " << y[i];
    }
  }
}

}  // namespace
}  // namespace prequel::student_t_rows_test
