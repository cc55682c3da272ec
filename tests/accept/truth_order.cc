// The same rows in other orders and minibatches, and columns that trend.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint32_t lane) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, lane}, out);
  return out;
}

LearnerConfig Gaussian(Index inputs, const std::string& dynamics) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood.name = "gaussian";
  config.dynamics.name = dynamics;
  return config;
}

void AddOrders(Report& report) {
  constexpr Index kInputs = 5, kRows = 2000;
  constexpr double kNoise = 0.1;
  LearnerConfig config = Gaussian(kInputs, "static");
  config.likelihood.options["noise"] = kNoise * kNoise;
  Batch rows;
  rows.inputs = Normals(kInputs, kRows, 1, 1);
  for (Index j = 0; j < kInputs; ++j) {
    rows.inputs.row(j) *= std::pow(10.0, static_cast<double>(j - 2));
    rows.inputs.row(j).array() += static_cast<double>(j);
  }
  rows.targets = Normals(1, kInputs, 1, 2) * rows.inputs + kNoise * Normals(1, kRows, 1, 3);
  Folding first(config);
  first.LearnAll(rows, kRows);
  const Matrix mean = first.Predict(rows)["mean"];
  const Matrix variance = first.Predict(rows)["epistemic_variance"];
  double off_mean = 0, off_variance = 0;
  std::uint64_t seed = 0;
  for (const Index size : {Index{1}, Index{7}, Index{64}, kRows}) {
    Folding fold(config);
    fold.LearnAll(Pick(rows, Shuffled(kRows, ++seed)), size);
    const Answer answer = fold.Predict(rows);
    off_mean = std::max(
        off_mean, ((answer["mean"] - mean).array().abs() / variance.array().sqrt()).maxCoeff());
    off_variance = std::max(
        off_variance,
        ((answer["epistemic_variance"] - variance).array() / variance.array()).abs().maxCoeff());
  }
  const std::string setting = "random orders in minibatches of 1, 7, 64 and 2,000 of 2,000 rows";
  report.Add({"static, noise known: means by any order and split, in deviations", off_mean, 0, 1e-9,
              Direction::kAtMost, setting});
  report.Add({"static, noise known: their variances, relatively", off_variance, 0, 1e-9,
              Direction::kAtMost, setting});
}

// y = t/100 and noise of 0.1, in order.
void AddTrend(const std::string& dynamics, Report& report) {
  constexpr Index kRows = 2000;
  Batch rows;
  rows.inputs = Eigen::RowVectorXd::LinSpaced(kRows, 0, kRows - 1);
  rows.targets = rows.inputs / 100 + 0.1 * Normals(1, kRows, 53, 1);
  Folding fold(Gaussian(1, dynamics));
  fold.LearnAll(rows, 64);
  const std::string name = dynamics.empty() ? "default" : dynamics;
  for (const double t : {0.0, 500.0, 1000.0, 1999.0}) {
    Batch asked;
    asked.inputs.setConstant(1, 1, t);
    const Answer answer = fold.Predict(asked);
    const double mean = answer["mean"](0, 0);
    const double deviation =
        std::sqrt(answer["epistemic_variance"](0, 0) + answer["aleatoric_variance"](0, 0));
    report.Add(
        {absl::StrFormat("%s: a line in time asked at t = %g, deviations from the truth", name, t),
         std::abs(mean - t / 100) / deviation, 0, 3, Direction::kAtMost,
         absl::StrFormat("%.2f ± %.2f for %.2f", mean, deviation, t / 100)});
  }
}

}  // namespace

void TruthOrder(Report& report) {
  report.Section("The same rows in another order, and a line in time");
  report.Describe(
      "Columns whose scales differ by factors of ten and that do not lie at 0; then y = t/100 with "
      "noise of 0.1, in order, in minibatches of 64.");
  AddOrders(report);
  AddTrend("", report);
  AddTrend("static", report);
}

}  // namespace prequel::accept
