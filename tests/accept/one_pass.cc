#include "tests/accept/one_pass.h"

#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/choice.h"
#include "tests/accept/rules.h"
#include "tests/accept/splits.h"

namespace prequel::accept {
namespace {

// The prior and the rows per minibatch.
std::vector<Setting> Mlp50Settings() {
  std::vector<Setting> settings;
  for (const char* scale : {"none", "fan_in"}) {
    for (const double precision : {1.0, 0.3}) {
      for (const Index batch : {16, 64}) {
        settings.push_back(
            {absl::StrCat("layer_scale ", scale, ", precision ", precision, ", batches of ", batch),
             [scale, precision](LearnerConfig& config) {
               config.model = {"mlp", {{"hidden", std::vector<double>{50}}}};
               config.prior.options["layer_scale"] = std::string(scale);
               config.prior.options["precision"] = precision;
             },
             batch});
      }
    }
  }
  return settings;
}

std::string NameOf(const ComponentConfig& rule, const ComponentConfig& posterior) {
  const auto rank = posterior.options.find("rank");
  if (rank == posterior.options.end()) return absl::StrCat(rule.name, " on ", posterior.name);
  return absl::StrCat(rule.name, " at rank ", std::get<double>(rank->second));
}

}  // namespace

void OnePassKin8nm(const ComponentConfig& rule, const ComponentConfig& posterior,
                   std::optional<double> rmse, Report& report) {
  const std::string name =
      absl::StrCat("kin8nm test RMSE after one pass, ", NameOf(rule, posterior));
  std::optional<SplitSet> set = ReadSplitSet("kin8nm");
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no uci/");
  set->config.rule = rule;
  set->config.posterior = posterior;
  const std::vector<Setting> settings = Mlp50Settings();
  std::vector<double> errors;
  std::vector<int> chosen(settings.size(), 0);
  for (std::size_t split = 0; split < set->test_rows.size(); ++split) {
    const auto [train, test] = set->Split(split);
    set->config.seed = split;
    Leader stream(set->config, settings);
    stream.LearnAll(train, 64);
    const Matrix error = stream.best().Predict(test)["mean"] - test.targets;
    errors.push_back(std::sqrt(error.squaredNorm() / static_cast<double>(test.rows())));
    ++chosen[stream.leader()];
  }
  std::string counts;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (chosen[k] > 0) absl::StrAppend(&counts, "; ", settings[k].name, " in ", chosen[k]);
  }
  const Mean mean = MeanOf(errors);
  report.Add({name, mean.value, mean.stderr_, rmse.value_or(0),
              rmse ? Direction::kAtMost : Direction::kReported,
              absl::StrCat("20 given splits, mlp-50, seed = split; the setting that predicted the "
                           "training rows best",
                           counts)});
}

void RulesOnePass(Report& report) {
  report.Section("One pass over kin8nm");
  report.Describe(
      "A network of 50 tanh units, every training row seen once, over the twenty given splits. The "
      "bounds are published figures of the same kind and rank: extended Kalman filters with a full "
      "and a diagonal covariance, LoFi and L-RVGA at rank 2 (Chang et al. 2023).");
  OnePassKin8nm({"rvga", {}}, {"full", {}}, 0.0838, report);
  OnePassKin8nm({"rvga", {}}, {"diagonal", {}}, 0.1036, report);
  const ComponentConfig rank2{"low_rank", {{"rank", 2.0}}};
  OnePassKin8nm({"lofi", {}}, rank2, 0.1379, report);
  OnePassKin8nm({"lrvga", {}}, rank2, 0.1392, report);
  OnePassKin8nm({"hilofi", {}}, {"low_rank_hidden", {{"rank", 50.0}}}, std::nullopt, report);
}

}  // namespace prequel::accept
