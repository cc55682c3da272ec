// The predictives of one number, at points of a grid of their parameters.
#include <cmath>
#include <limits>
#include <vector>

#include "core/distributions/negative_binomial_mixture.h"
#include "core/distributions/poisson_mixture.h"
#include "core/distributions/student_t.h"
#include "tests/accept/peers/sections.h"

namespace prequel::peers {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of D at y, and its p-quantile; after that of what it is of.
template <class D>
void AddRow(const D& d, std::vector<double> row, double y, double p,
            std::vector<std::vector<double>>& rows) {
  row.insert(row.end(), {y, p, d.LogDensity(y), d.Cdf(y), d.Quantile(p), d.Crps(y)});
  rows.push_back(std::move(row));
}

void Write(std::string_view name, const std::vector<std::vector<double>>& rows, Json& json) {
  Matrix table(rows.size(), rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.row(static_cast<Index>(i)) =
        Eigen::Map<const Vector>(rows[i].data(), static_cast<Index>(rows[i].size())).transpose();
  }
  json.Rows(name, table);
}

}  // namespace

void WriteDistributions(Json& json) {
  std::vector<std::vector<double>> student, counts;
  for (const double dof : {1.5, 3.0, 7.3, 40.0, 1e4, kInfinity}) {
    for (const double z : {-6.0, -0.4, 0.0, 1.1, 9.0}) {
      const StudentT t{.location = 0.7, .scale = 1.3, .dof = dof};
      AddRow(t, {t.location, t.scale, dof}, t.location + t.scale * z, std::exp(-0.2 * z * z - 0.02),
             student);
    }
  }
  for (const double mean : {-1.0, 2.0}) {
    for (const double variance : {0.0, 1e-3, 0.05, 0.5, 1.5}) {
      for (const double y : {0.0, 3.0, 25.0}) {
        const double p = 1 / (1.2 + 0.3 * y);
        AddRow(PoissonMixture(mean, variance), {kInfinity, mean, variance}, y, p, counts);
        for (const double shape : {4.0, 1.0, 0.5}) {
          AddRow(NegativeBinomialMixture(mean, variance, NegativeBinomialKernel(shape)),
                 {shape, mean, variance}, y, p, counts);
        }
      }
    }
  }
  json.Open("distributions");
  Write("student", student, json);
  Write("counts", counts, json);
  json.Close();
}

}  // namespace prequel::peers
