// A level that walks at random, asked ahead.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {

void TruthHorizon(Report& report) {
  constexpr Index kRows = 7000, kFirst = 1000, kLast = 6000, kEvery = 25;
  constexpr double kStep = 0.3;
  const std::vector<Index> horizons = {1, 10, 100, 1000};
  report.Section("A random walk asked ahead");
  report.Describe(absl::StrFormat(
      "Steps of N(0, %g²) learned row by row with times, asked every %d rows for the value so many "
      "rows later.",
      kStep, kEvery));
  Matrix walk(1, kRows);
  FillNormal(Stream{1, 0, 1}, walk);
  for (Index i = 1; i < kRows; ++i) walk(0, i) = walk(0, i - 1) + kStep * walk(0, i);
  LearnerConfig config;
  config.features = {{.name = "x"}};
  config.likelihood.name = "gaussian";
  Folding fold(config);
  std::vector<double> inside(horizons.size()), deviation(horizons.size());
  double asked = 0;
  for (Index i = 0; i < kLast; ++i) {
    if (i >= kFirst && i % kEvery == 0) {
      Batch query;
      query.inputs = Matrix::Zero(1, static_cast<Index>(horizons.size()));
      query.times.resize(query.inputs.cols());
      for (std::size_t h = 0; h < horizons.size(); ++h) {
        query.times[static_cast<Index>(h)] = static_cast<double>(i - 1 + horizons[h]);
      }
      PredictOptions options;
      options.queries = {{"moments", {}}, {"interval", {{"levels", std::vector<double>{0.9}}}}};
      const Answer answer = fold.Predict(query, options);
      ++asked;
      for (std::size_t h = 0; h < horizons.size(); ++h) {
        const auto column = static_cast<Index>(h);
        const double truth = walk(0, i - 1 + horizons[h]);
        const bool above = answer["lower"](0, column) <= truth;
        inside[h] += above && truth <= answer["upper"](0, column) ? 1 : 0;
        deviation[h] += std::sqrt(answer["epistemic_variance"](0, column) +
                                  answer["aleatoric_variance"](0, column));
      }
    }
    Batch row;
    row.inputs = Matrix::Zero(1, 1);
    row.targets = walk.col(i);
    row.times.setConstant(1, static_cast<double>(i));
    fold.Learn(row);
  }
  for (std::size_t h = 0; h < horizons.size(); ++h) {
    const double right = kStep * std::sqrt(static_cast<double>(horizons[h]));
    report.Add({absl::StrFormat("%d rows ahead: 90 %% intervals hold, less 0.9", horizons[h]),
                std::abs(inside[h] / asked - 0.9), 0, horizons[h] < 1000 ? 0.03 : 0.1,
                Direction::kAtMost,
                absl::StrFormat("%.3f; deviation %.2f, right is %.2f", inside[h] / asked,
                                deviation[h] / asked, right)});
  }
}

}  // namespace prequel::accept
