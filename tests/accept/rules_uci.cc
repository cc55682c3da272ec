// Regression on the UCI sets, each over its twenty published splits, by a network of 50 hidden
// units.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/archive/stable_hash.h"
#include "core/config/fingerprint.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/in_parallel.h"
#include "tests/accept/kept_table.h"
#include "tests/accept/rules.h"
#include "tests/accept/splits.h"

namespace prequel::accept {
namespace {

struct PublishedSet {
  const char* name;
  double slang;  // SLANG's mean test log-likelihood (Mishkin et al. 2018, table 3)
};
constexpr PublishedSet kSets[] = {{"boston", -2.58}, {"concrete", -3.13}, {"energy", -1.12},
                                  {"kin8nm", 1.06},  {"naval", 4.76},     {"power_plant", -2.84}};

constexpr Index kBatch = 32;
constexpr Index kSmall = 2000;  // rows

// Of the rules that know N.
constexpr int PassesOver(Index rows) { return rows < kSmall ? 120 : 40; }

// One way to learn, and what of it is chosen.
struct Contender {
  std::string name;
  ComponentConfig rule, posterior;
  std::vector<double> alphas;  // empty: the rule has none
  bool dataset = false;        // in many passes; otherwise in one
};

std::vector<Contender> Contenders() {
  const ComponentConfig rank{"low_rank", {{"rank", 10.0}}};
  const std::vector<double> alphas = {0.003, 0.01, 0.03};
  return {
      {"rvga on full", {"rvga", {}}, {"full", {}}, {}},
      {"lofi at rank 10", {"lofi", {}}, rank, {}},
      {"rvga on last_layer", {"rvga", {}}, {"last_layer", {}}, {}},
      {"vogn", {"vogn", {}}, {"diagonal", {}}, alphas, true},
      {"ivon", {"ivon", {}}, {"diagonal", {}}, {0.03, 0.1, 0.3}, true},
      {"slang at rank 5", {"slang", {}}, {"low_rank", {{"rank", 5.0}}}, alphas, true},
      {"vogn on kronecker", {"vogn", {{"refresh", 10.0}}}, {"kronecker", {}}, alphas, true},
      {"laplace on kronecker", {"laplace", {}}, {"kronecker", {}}, {0.01}, true},
      {"laplace on subnetwork", {"laplace", {}}, {"subnetwork", {{"size", 256.0}}}, {0.01}, true},
      {"adam", {"adam", {}}, {"point", {}}, {0.003, 0.01}, true},
      {"sgd", {"sgd", {}}, {"point", {}}, {0.001, 0.01}, true}};
}

// What is chosen of a contender on rows held out of the training rows.
struct Setting {
  double precision = 1;
  std::string layer_scale;
  double alpha = 0;  // 0: none
};

std::vector<Setting> SettingsOf(const Contender& contender) {
  std::vector<Setting> all;
  for (const char* scale : {"none", "fan_in"}) {
    for (const double precision : {1.0, 10.0}) {
      if (contender.alphas.empty()) all.push_back({precision, scale});
      for (const double alpha : contender.alphas) all.push_back({precision, scale, alpha});
    }
  }
  return all;
}

LearnerConfig Configure(LearnerConfig config, const Contender& contender, const Setting& setting,
                        Index rows, int passes) {
  config.model = {"mlp", {{"hidden", std::vector<double>{50}}}};
  config.prior.options["precision"] = setting.precision;
  config.prior.options["layer_scale"] = setting.layer_scale;
  config.posterior = contender.posterior;
  config.rule = contender.rule;
  if (contender.dataset) {
    config.rule.options["mode"] = std::string("dataset");
    config.rule.options["dataset_size"] = static_cast<double>(rows);
  }
  if (setting.alpha > 0) config.rule.options["alpha"] = setting.alpha;
  // The last tenth of the passes is for the curvature.
  if (contender.rule.name == "laplace") config.rule.options["map_passes"] = 0.9 * passes;
  return config;
}

// The scores of the test rows after learning the others.
Scores ScoreOf(const LearnerConfig& config, const Contender& contender, const Setting& setting,
               const Division& rows, int passes) {
  Folding fold(Configure(config, contender, setting, rows.train.rows(), passes));
  fold.LearnInPasses(rows.train, kBatch, contender.dataset ? passes : 1, config.seed);
  return fold.Score(rows.test, kBatch).Average();
}

// The setting of the least NLL on a fifth held out of `train`.
Setting Choose(const LearnerConfig& config, const Contender& contender, const Batch& train,
               int passes) {
  const Division rows = HoldOut(train);
  double least = std::numeric_limits<double>::infinity();
  Setting best;
  for (const Setting& setting : SettingsOf(contender)) {
    const double nll = ScoreOf(config, contender, setting, rows, passes)["nll"];
    if (!(nll < least)) continue;
    least = nll;
    best = setting;
  }
  return best;
}

std::string TextOf(const Setting& setting) {
  const std::string prior = absl::StrFormat("precision %g", setting.precision);
  const std::string scale = setting.layer_scale == "none" ? "" : ", fan_in";
  return absl::StrCat(prior, scale,
                      setting.alpha > 0 ? absl::StrFormat(", alpha %g", setting.alpha) : "");
}

// Of every configuration that is tried, passes and minibatches.
std::uint64_t ProtocolOf(const SplitSet& set, const Contender& contender) {
  const int passes = PassesOver(set.rows.rows());
  std::string all = absl::StrCat(passes, " ", kBatch);
  for (const Setting& setting : SettingsOf(contender)) {
    absl::StrAppend(
        &all, " ", Fingerprint(Configure(set.config, contender, setting, set.rows.rows(), passes)));
  }
  return StableHash(all);
}

KeptLine Measure(const SplitSet& set, const Contender& contender, std::size_t split) {
  LearnerConfig config = set.config;
  config.seed = split;
  const Division rows = set.Split(split);
  const int passes = PassesOver(set.rows.rows());
  const Setting setting = Choose(config, contender, rows.train, passes);
  const Scores scores = ScoreOf(config, contender, setting, rows, passes);
  return {TextOf(setting), {scores["rmse"], -scores["nll"], scores["coverage90"]}};
}

// One contender on one set, and where its splits are kept.
struct Measurement {
  std::string name;
  const SplitSet& set;
  const Contender& contender;
  std::size_t splits = 0;
  std::string protocol = absl::StrFormat("%016x", ProtocolOf(set, contender));

  KeptTable::Key KeyOf(std::size_t split) const {
    return {name, contender.name, protocol, absl::StrCat(split)};
  }
};

// Measures what the table does not hold.
void Complete(const Measurement& of, KeptTable& table) {
  std::mutex mutex;
  InParallel(of.splits, [&](std::size_t split) {
    const KeptTable::Key key = of.KeyOf(split);
    {
      const std::lock_guard lock(mutex);
      if (table.Find(key)) return;
    }
    const KeptLine line = Measure(of.set, of.contender, split);
    const std::lock_guard lock(mutex);
    table.Add(key, line);
  });
}

// Adds three rows; returns the mean log-likelihood.
double AddContender(const Measurement& of, const KeptTable& table, Report& report) {
  std::vector<double> rmse, likelihood, coverage;
  std::map<std::string, int> chosen;
  for (std::size_t split = 0; split < of.splits; ++split) {
    const KeptLine line = *table.Find(of.KeyOf(split));
    rmse.push_back(line.figures[0]);
    likelihood.push_back(line.figures[1]);
    coverage.push_back(100 * line.figures[2]);
    ++chosen[line.setting];
  }
  const std::string settings =
      absl::StrJoin(chosen, "; ", [](std::string* out, const std::pair<std::string, int>& one) {
        absl::StrAppend(out, one.first, " in ", one.second);
      });
  const auto add = [&](const char* what, const std::vector<double>& values) {
    const Mean mean = MeanOf(values);
    report.Add({absl::StrCat(of.name, ", ", of.contender.name, ": ", what), mean.value,
                mean.stderr_, 0, Direction::kReported, settings});
    return mean.value;
  };
  add("RMSE", rmse);
  add("coverage of 90 % intervals", coverage);
  return add("log-likelihood", likelihood);
}

// PREQUEL_SPLITS=3 for fewer.
std::size_t Splits() {
  const char* splits = std::getenv("PREQUEL_SPLITS");
  return splits == nullptr ? 20 : static_cast<std::size_t>(std::max(1, std::atoi(splits)));
}

}  // namespace

void RulesUci(Report& report) {
  report.Section("UCI regression");
  report.Describe(absl::StrFormat(
      "A network of 50 tanh units over the given splits, minibatches of %d rows, learned noise, "
      "standardisation as the rows come. One pass, or 120 by the rules that know N (40 over more "
      "than %d rows). For every rule alike, and for every split anew: prior precision 1 or 10, "
      "scaled by the layer's inputs or not, and the step sizes named, if the rule has one, are "
      "those of the least NLL on a fifth held out of the training rows; then all of them are "
      "learned. Published SLANG's log-likelihoods are to be beaten by one rule on five of the six "
      "sets. What rules.uci.tsv holds of this, split by split, is not measured again.",
      kBatch, kSmall));
  KeptTable table(report.folder(), "rules.uci.tsv",
                  {{"set", "contender", "protocol", "split"},
                   {"RMSE", "log-likelihood", "coverage of 90 % intervals"}});
  std::map<std::string, int> beaten;  // sets, by contender
  for (const PublishedSet& published : kSets) {
    const std::optional<SplitSet> set = ReadSplitSet(published.name);
    if (!set) {
      report.Skip(published.name, "PREQUEL_DATA_DIR has no such file");
      continue;
    }
    const std::size_t splits = std::min(Splits(), set->test_rows.size());
    for (const Contender& contender : Contenders()) {
      const Measurement of{published.name, *set, contender, splits};
      Complete(of, table);
      const double likelihood = AddContender(of, table, report);
      beaten[contender.name] += likelihood > published.slang ? 1 : 0;
    }
  }
  const auto best = std::max_element(beaten.begin(), beaten.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (best == beaten.end()) return;
  report.Add({"sets of which a rule beats SLANG's log-likelihood",
              static_cast<double>(best->second), 0, 5, Direction::kAtLeast, best->first});
}

}  // namespace prequel::accept
