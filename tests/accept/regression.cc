// Regression on real data, one pass, predict then learn.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/choice.h"
#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

void UseMlp(double width, LearnerConfig& config) {
  config.model = {"mlp", {{"hidden", std::vector<double>{width}}}};
}

std::vector<std::vector<Index>> ReadSplits(const std::string& path) {
  std::vector<std::vector<Index>> splits;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream numbers(line);
    std::vector<Index> rows;
    for (Index row; numbers >> row;) rows.push_back(row);
    if (!rows.empty()) splits.push_back(rows);
  }
  return splits;
}

// The scale of the prior of an MLP-50 and the rows per minibatch.
std::vector<Setting> Mlp50Settings() {
  std::vector<Setting> settings;
  for (const char* scale : {"none", "fan_in"}) {
    for (const Index batch : {16, 64}) {
      settings.push_back({absl::StrCat("layer_scale ", scale, ", batches of ", batch),
                          [scale](LearnerConfig& config) {
                            UseMlp(50, config);
                            config.prior.options["layer_scale"] = std::string(scale);
                          },
                          batch});
    }
  }
  return settings;
}

// For each split, one pass over its training rows in a shuffled order; the setting that predicted
// them best, each before it was learned, is the one whose test error counts.
void Kin8nm(Report& report) {
  const auto path = DataPath("uci/kin8nm.csv");
  const auto splits_path = DataPath("uci/kin8nm.test_rows.txt");
  if (!path || !splits_path) return report.Skip("kin8nm", "PREQUEL_DATA_DIR has no uci/");
  DataFile file = ReadDataFile(*path, "y", "gaussian");
  const std::vector<Setting> settings = Mlp50Settings();
  std::vector<double> rmse;
  std::vector<int> chosen(settings.size(), 0);
  std::uint64_t split = 0;
  for (const std::vector<Index>& test_rows : ReadSplits(*splits_path)) {
    std::vector<bool> is_test(static_cast<std::size_t>(file.rows.rows()), false);
    for (const Index row : test_rows) is_test[static_cast<std::size_t>(row)] = true;
    std::vector<Index> train_rows;
    for (const Index row : Shuffled(file.rows.rows(), split)) {
      if (!is_test[static_cast<std::size_t>(row)]) train_rows.push_back(row);
    }
    file.config.seed = split++;
    Leader stream(file.config, settings);
    stream.LearnAll(Pick(file.rows, train_rows), 64);
    const Batch test = Pick(file.rows, test_rows);
    const Matrix error = stream.best().Predict(test).mean - test.targets;
    rmse.push_back(std::sqrt(error.squaredNorm() / static_cast<double>(test.rows())));
    ++chosen[stream.leader()];
  }
  std::string counts;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (chosen[k] > 0) absl::StrAppend(&counts, "; ", settings[k].name, " in ", chosen[k]);
  }
  const Mean mean = MeanOf(rmse);
  report.Add({"kin8nm test RMSE after one pass", mean.value, mean.stderr_, 0.0838,
              Direction::kAtMost,
              absl::StrCat("20 given splits, mlp-50, rvga full, seed = split; the setting that "
                           "predicted the training rows best",
                           counts)});
}

// How wide a network, or none, serves five years of hourly measurements.
std::vector<Setting> HourlySettings() {
  std::vector<Setting> settings = {{"linear", [](LearnerConfig&) {}, 24}};
  for (const double width : {4, 8, 16, 32}) {
    settings.push_back({absl::StrCat("mlp-", width),
                        [width](LearnerConfig& config) { UseMlp(width, config); }, 24});
  }
  return settings;
}

void Pollution(Report& report) {
  const auto path = DataPath("streams/pollution_beijing.csv");
  if (!path) return report.Skip("pollution_beijing", "PREQUEL_DATA_DIR has no streams/");
  DataFile file = ReadDataFile(*path, "y", "gaussian");
  std::vector<double> nll, coverage;
  double skipped = 0;
  std::string leaders;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    file.config.seed = seed;
    Leader stream(file.config, HourlySettings());
    stream.LearnAll(file.rows, 24);
    nll.push_back(stream.scores().nll);
    coverage.push_back(100 * *stream.scores().coverage90);
    skipped = static_cast<double>(stream.best().state().evaluation.skipped_rows);
    absl::StrAppend(&leaders, leaders.empty() ? "" : ", ", stream.setting().name);
  }
  const Mean mean = MeanOf(coverage);
  Index missing = 0;
  for (Index i = 0; i < file.rows.rows(); ++i) missing += std::isnan(file.rows.targets(0, i));
  const std::string with =
      absl::StrCat(file.rows.rows(),
                   " hourly rows in order, rvga full, batches of 24, linear or mlp-4, 8, 16, "
                   "32, whichever predicted best so far (at the end ",
                   leaders, "), seeds 1-5, coverage ", mean.value);
  report.Add({"pollution_beijing skipped rows, of those without a target",
              skipped / static_cast<double>(missing), 0, 1, Direction::kAtLeast,
              absl::StrCat(missing, " without a target")});
  // A Gaussian with the mean and variance of all targets would score 5.94.
  report.Add({"pollution_beijing prequential NLL", MeanOf(nll).value, MeanOf(nll).stderr_, 5.9,
              Direction::kAtMost, with});
  report.Add({"pollution_beijing |90 % coverage - 90|, points", std::abs(mean.value - 90),
              mean.stderr_, 2, Direction::kAtMost, with});
}

}  // namespace

void Regression(Report& report) {
  report.Section("Regression, one pass");
  Pollution(report);
  Kin8nm(report);
}

}  // namespace prequel::accept
