// Targets that are wrong now and then: how far the predictions are off, for rows that count whole
// and for rows that count by how far they are out.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/random/philox.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/moving.h"

namespace prequel::accept {
namespace {

constexpr std::uint64_t kSeeds = 5;
constexpr double kOutliers = 0.1, kFar = 50;

void ScaleToUnit(Matrix& columns) {
  for (Index c = 0; c < columns.rows(); ++c) {
    const double least = columns.row(c).minCoeff(), most = columns.row(c).maxCoeff();
    if (most > least) columns.row(c) = (columns.row(c).array() - least) / (most - least);
  }
}

// In a random order, scaled, and then a tenth of the targets replaced by ±50.
Batch Corrupted(const DataFile& file, std::uint64_t seed) {
  Batch rows = Pick(file.rows, Shuffled(file.rows.rows(), seed));
  ScaleToUnit(rows.inputs);
  ScaleToUnit(rows.targets);
  Vector u(2 * rows.rows());
  FillUniform(Stream{seed, 0, 31}, u);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (u[2 * i] < kOutliers) rows.targets(0, i) = u[2 * i + 1] < 0.5 ? -kFar : kFar;
  }
  return rows;
}

LearnerConfig ConfigOf(const DataFile& file, const std::string& robustness, bool learned,
                       std::uint64_t seed) {
  LearnerConfig config = file.config;
  config.standardize_inputs = config.standardize_targets = Standardize::kNone;
  config.model = {"mlp", {{"hidden", std::vector<double>{20}}}};
  config.posterior.name = "full";
  config.rule.name = "rvga";
  config.dynamics.name = "static";
  if (!learned) config.likelihood.options["noise"] = 1.0;
  config.robustness.name = robustness;
  config.seed = seed;
  return config;
}

// The root of the median of squared errors of predictions, row by row.
double Error(const LearnerConfig& config, const Batch& rows) {
  Folding fold(config);
  std::vector<double> errors;
  ForEachMinibatch(rows, 1, [&](const Batch& row) {
    const double mean = fold.Predict(row, {.queries = {{"moments", {}}}})["mean"](0, 0);
    errors.push_back(std::abs(mean - row.targets(0, 0)));
    fold.Learn(row);
  });
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

Mean ErrorsOf(const DataFile& file, const std::string& robustness, bool learned) {
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    errors.push_back(Error(ConfigOf(file, robustness, learned, seed), Corrupted(file, seed)));
  }
  return MeanOf(errors);
}

// NLL by default options in minibatches of 64, beside that without weights.
void AddClean(const DataFile& file, const std::string& name, Report& report) {
  const auto nll = [&](const std::string& robustness) {
    LearnerConfig config = file.config;
    config.robustness.name = robustness;
    Folding fold(config);
    fold.LearnAll(Pick(file.rows, Shuffled(file.rows.rows(), 1)), 64);
    return fold.scores()["nll"];
  };
  const double plain = nll("none");
  for (const char* robustness : {"imq", "mahalanobis_gate"}) {
    report.Add({absl::StrCat(name, ", nothing wrong: NLL of ", robustness, " over none's"),
                nll(robustness) - plain, 0, 0.01, Direction::kAtMost,
                absl::StrCat("linear, by default, minibatches of 64; none ", plain)});
  }
}

// Beside plain learning, with noise that is given or learned.
void AddCorrupted(const DataFile& file, const std::string& name, bool learned, Report& report) {
  const auto add = [&](const std::string& what, Mean mean, double target, Direction direction) {
    report.Add({absl::StrCat(name, ", ", learned ? "learned noise" : "noise 1", ": ", what),
                mean.value, mean.stderr_, target, direction,
                absl::StrCat(file.rows.rows(), " rows, seeds 1 to ", kSeeds)});
  };
  const Mean plain = ErrorsOf(file, "none", learned);
  add("none", plain, 0, Direction::kReported);
  for (const char* robustness : {"imq", "mahalanobis_gate"}) {
    const Mean robust = ErrorsOf(file, robustness, learned);
    add(robustness, robust, 0, Direction::kReported);
    add(absl::StrCat("none over ", robustness), {plain.value / robust.value, 0}, 5,
        Direction::kAtLeast);
  }
}

}  // namespace

void MovingRobust(Report& report) {
  report.Section("A tenth of the targets are wrong");
  report.Describe(
      "Root of the median of squared errors, predict then learn, row by row. Inputs and targets "
      "are scaled to [0, 1]; then a tenth of the targets become 50 or -50. A network of 20 units, "
      "`full` with `rvga`. Published (WoLF), plain and with weights: boston 1.64 and 0.072, "
      "concrete 1.73 and 0.089, kin8nm 0.74 and 0.097.");
  for (const char* name : {"boston", "concrete", "kin8nm"}) {
    const auto path = DataPath(absl::StrCat("uci/", name, ".csv"));
    if (!path) {
      report.Skip(name, "PREQUEL_DATA_DIR has no uci/");
      continue;
    }
    const DataFile file = ReadDataFile(*path, "y", "gaussian");
    for (const bool learned : {false, true}) AddCorrupted(file, name, learned, report);
    AddClean(file, name, report);
  }
}

}  // namespace prequel::accept
