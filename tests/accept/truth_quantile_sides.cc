// How many rows lie below each quantile that is served, where the noise is not symmetric.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 20000, kFirst = 5000, kSize = 64;

// What a noise makes of a normal number z and a uniform one u.
struct Noise {
  const char* name;
  double (*of)(double z, double u);
};

double Normal(double z, double /*u*/) { return z; }
double Exponential(double /*z*/, double u) { return -std::log(u); }
double Lognormal(double z, double /*u*/) { return std::exp(0.8 * z); }
double Lumpy(double z, double u) { return u < 0.4 ? 0 : std::abs(z); }

void AddNoise(const Noise& noise, Report& report) {
  const std::vector<double> levels = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};
  Batch all;
  all.inputs.resize(2, kRows);
  FillNormal(Stream{1, 0, 1}, all.inputs);
  Matrix z(1, kRows);
  FillNormal(Stream{1, 0, 2}, z);
  Vector u(kRows);
  FillUniform(Stream{1, 0, 3}, u);
  all.targets = Eigen::RowVector2d(0.5, 0.5) * all.inputs;
  for (Index i = 0; i < kRows; ++i) all.targets(0, i) += noise.of(z(0, i), u[i]);
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2}};
  config.likelihood.name = "gaussian";
  Folding fold(config);
  PredictOptions options;
  options.queries = {{"quantiles", {{"levels", levels}}}};
  std::vector<double> below(levels.size());
  double rows = 0;
  for (Index first = 0; first < kRows; first += kSize) {
    const Index count = std::min(kSize, kRows - first);
    Batch batch;
    batch.inputs = all.inputs.middleCols(first, count);
    batch.targets = all.targets.middleCols(first, count);
    const Answer answer = fold.Predict(batch, options);
    for (Index i = 0; i < count && first >= kFirst; ++i) {
      ++rows;
      for (std::size_t k = 0; k < levels.size(); ++k) {
        const double quantile = answer["quantiles"](static_cast<Index>(k), i);
        below[k] += batch.targets(0, i) < quantile ? 1 : 0;
      }
    }
    fold.Learn(batch);
  }
  for (std::size_t k = 0; k < levels.size(); ++k) {
    report.Add(
        {absl::StrFormat("%s noise, below the quantile of %g, less that", noise.name, levels[k]),
         std::abs(below[k] / rows - levels[k]), 0, 0.03, Direction::kAtMost,
         absl::StrFormat("%.3f", below[k] / rows)});
  }
}

}  // namespace

void TruthQuantileSides(Report& report) {
  report.Section("Rows below each quantile");
  report.Describe(absl::StrFormat(
      "y = ½ x₁ + ½ x₂ + noise, x of N(0, I), by default, in minibatches of %d; rows %d to %d. "
      "Lumpy: 0 in four of ten rows, else |N(0, 1)|.",
      kSize, kFirst, kRows));
  for (const Noise& noise : {Noise{"normal", Normal}, Noise{"exponential", Exponential},
                             Noise{"lognormal", Lognormal}, Noise{"lumpy", Lumpy}}) {
    AddNoise(noise, report);
  }
}

}  // namespace prequel::accept
