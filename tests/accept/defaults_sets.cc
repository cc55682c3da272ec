// What the defaults score on real data, against what the defaults were before.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accept/data_file.h"
#include "tests/accept/defaults.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 64;  // of a minibatch

struct Set {
  std::string name, path, likelihood;
};

const std::vector<Set>& Regressions() {
  static const std::vector<Set> sets = {
      {"boston", "uci/boston.csv", "gaussian"}, {"concrete", "uci/concrete.csv", "gaussian"},
      {"energy", "uci/energy.csv", "gaussian"}, {"kin8nm", "uci/kin8nm.csv", "gaussian"},
      {"naval", "uci/naval.csv", "gaussian"},   {"power_plant", "uci/power_plant.csv", "gaussian"}};
  return sets;
}
const Set kDigits = {"digits", "multiclass/optdigits_train.csv", "categorical"};

// Mean over three orders of the rows of the prequential NLL in one pass, nats.
Mean Nll(const LearnerConfig& config, const Batch& rows) {
  std::vector<double> nll;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LearnerConfig seeded = config;
    seeded.seed = seed;
    Folding fold(seeded);
    fold.LearnAll(Pick(rows, Shuffled(rows.rows(), seed)), kRows);
    nll.push_back(fold.scores()["nll"]);
  }
  return MeanOf(nll);
}

LearnerConfig AsBefore(LearnerConfig config) {
  config.posterior.name = "full";
  config.rule.name = "rvga";
  config.prior.options["layer_scale"] = std::string("none");
  return config;
}

// What the default loses against the former one, nats; reported, and NaN without the data.
double Loss(const Set& set, const std::string& model, bool compared, Report& report) {
  const auto path = DataPath(set.path);
  const std::string name = absl::StrCat(set.name, ", ", model);
  if (!path) {
    report.Skip(name, "PREQUEL_DATA_DIR has no " + set.path);
    return std::nan("");
  }
  DataFile file = ReadDataFile(*path, "y", set.likelihood);
  file.config.model.name = model;
  const Learner learner = *Learner::Create(file.config);
  const Mean now = Nll(file.config, file.rows);
  const std::string setting = absl::StrCat(
      "prequential NLL of one pass, minibatches of 64, 3 orders; ", learner.num_parameters(),
      " weights, ", learner.config().posterior.name, " with ", learner.config().rule.name);
  report.Add(
      {absl::StrCat(name, ": NLL"), now.value, now.stderr_, 0, Direction::kReported, setting});
  if (!compared) return std::nan("");
  const Mean before = Nll(AsBefore(file.config), file.rows);
  const double loss = now.value - before.value;
  report.Add(
      {absl::StrCat(name, ": NLL over that of the former default"), loss, 0, 0.02,
       Direction::kAtMost,
       absl::StrFormat("%s; %.4f with full, rvga and layer_scale none", setting, before.value)});
  return loss;
}

void AddModel(const std::string& model, Report& report) {
  std::vector<double> losses;
  for (const Set& set : Regressions()) losses.push_back(Loss(set, model, true, report));
  // Rounding apart.
  const auto better =
      std::count_if(losses.begin(), losses.end(), [](double l) { return l < 1e-6; });
  if (std::none_of(losses.begin(), losses.end(), [](double l) { return std::isnan(l); })) {
    report.Add({absl::StrCat(model, ": sets at least as good as with the former default, of six"),
                static_cast<double>(better), 0, 5, Direction::kAtLeast, "rounding apart"});
  }
}

}  // namespace

void DefaultsSets(Report& report) {
  report.Section("Defaults: real data");
  report.Describe(
      "Schema, likelihood and all else as `prequel create --from-csv` has them, against what was "
      "the default before posterior and rule were chosen by cost and the prior of networks by "
      "fan-in: `layer_scale: none`, `full` with `rvga`. A full posterior of a network for digits "
      "takes minutes a minibatch, and is not compared.");
  for (const char* model : {"linear", "mlp"}) AddModel(model, report);
  Loss(kDigits, "linear", true, report);
  Loss(kDigits, "mlp", false, report);
}

}  // namespace prequel::accept
