// Regression on real data, one pass, predict then learn.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/choice.h"
#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/one_pass.h"

namespace prequel::accept {
namespace {

void UseMlp(double width, LearnerConfig& config) {
  config.model = {"mlp", {{"hidden", std::vector<double>{width}}}};
  config.prior.options["layer_scale"] = std::string("none");
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
    nll.push_back(stream.scores()["nll"]);
    coverage.push_back(100 * stream.scores()["coverage90"]);
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
  OnePassKin8nm({"rvga", {}}, {"full", {}}, 0.0838, report);
}

}  // namespace prequel::accept
