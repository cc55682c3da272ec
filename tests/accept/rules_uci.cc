// Regression on the UCI sets, each over its twenty published splits, by a network of 50 hidden
// units.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/learner.h"
#include "core/learner_state.h"
#include "tests/accept/data_file.h"
#include "tests/accept/digits.h"
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
constexpr int kPasses = 40;  // of the rules that know N

// One way to learn, and what of it is chosen.
struct Contender {
  std::string name;
  ComponentConfig rule, posterior;
  std::vector<double> alphas;  // empty: the rule has none
  bool dataset = false;        // in kPasses passes; otherwise in one
};

std::vector<Contender> Contenders() {
  const ComponentConfig rank{"low_rank", {{"rank", 10.0}}};
  const std::vector<double> alphas = {0.003, 0.01, 0.03};
  return {
      {"rvga on full, one pass", {"rvga", {}}, {"full", {}}, {}},
      {"lofi at rank 10, one pass", {"lofi", {}}, rank, {}},
      {"rvga on last_layer, one pass", {"rvga", {}}, {"last_layer", {}}, {}},
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
                        Index rows) {
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
  if (contender.rule.name == "laplace") config.rule.options["map_passes"] = 0.9 * kPasses;
  return config;
}

// The scores of `test` after learning `train`, none of `test` learned; nothing when it diverged.
std::optional<Scores> Score(const LearnerConfig& config, int passes, const Batch& train,
                            const Batch& test) {
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  if (!learner.ok()) {
    std::fprintf(stderr, "%s\n", learner.status().ToString().c_str());
    std::exit(2);
  }
  LearnerState state = learner->Initial(), next;
  Scratch scratch;
  const auto each = [&](const Batch& rows, const auto& visit) {
    for (Index first = 0; first < rows.rows(); first += kBatch) {
      const Batch some = Slice(rows, first, std::min(kBatch, rows.rows() - first));
      if (!learner->Update(state, some, scratch, next).ok()) return false;
      visit();
    }
    return true;
  };
  for (int pass = 0; pass < passes; ++pass) {
    const auto order =
        Shuffled(train.rows(), 1000 * config.seed + static_cast<std::uint64_t>(pass));
    if (!each(Pick(train, order), [&] { std::swap(state, next); })) return std::nullopt;
  }
  Tally tally;
  const bool scored = each(test, [&] {
    Tally before = state.evaluation.cumulative;
    before.Scale(-1);
    tally.Add(before);
    tally.Add(next.evaluation.cumulative);
  });
  if (!scored || !std::isfinite(tally.nll)) return std::nullopt;
  return tally.Average(false);
}

std::optional<Scores> ScoreOf(const LearnerConfig& config, const Contender& contender,
                              const Setting& setting, const Batch& train, const Batch& test) {
  return Score(Configure(config, contender, setting, train.rows()), contender.dataset ? kPasses : 1,
               train, test);
}

// The setting of the least NLL on a fifth held out of `train`.
Setting Choose(const LearnerConfig& config, const Contender& contender, const Batch& train) {
  const Folds folds = HoldOut(train);
  double least = std::numeric_limits<double>::infinity();
  Setting best;
  for (const Setting& setting : SettingsOf(contender)) {
    const auto scores = ScoreOf(config, contender, setting, folds.train, folds.held_out);
    if (!scores || scores->nll >= least) continue;
    least = scores->nll;
    best = setting;
  }
  return best;
}

// How often each was chosen.
using Choices = std::map<std::string, int>;

std::string TextOf(const Setting& setting) {
  const std::string prior = absl::StrFormat("precision %g", setting.precision);
  const std::string scale = setting.layer_scale == "none" ? "" : ", fan_in";
  return absl::StrCat(prior, scale,
                      setting.alpha > 0 ? absl::StrFormat(", alpha %g", setting.alpha) : "");
}

std::string TextOf(const Choices& choices) {
  std::string text;
  for (const auto& [name, count] : choices) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", name, " in ", count);
  }
  return text;
}

// Adds three rows; returns the mean log-likelihood, or nothing when a split diverged.
std::optional<double> AddContender(const std::string& name, SplitSet& set,
                                   const Contender& contender, std::size_t splits, Report& report) {
  std::vector<double> rmse, likelihood, coverage;
  Choices choices;
  for (std::size_t split = 0; split < splits; ++split) {
    set.config.seed = split;
    const auto [train, test] = set.Split(split);
    const Setting setting = Choose(set.config, contender, train);
    const auto scores = ScoreOf(set.config, contender, setting, train, test);
    if (!scores) {
      report.Skip(name, absl::StrFormat("diverged on split %d", split));
      return std::nullopt;
    }
    rmse.push_back(*scores->rmse);
    likelihood.push_back(-scores->nll);
    coverage.push_back(100 * *scores->coverage90);
    ++choices[TextOf(setting)];
  }
  const auto add = [&](const char* what, const std::vector<double>& values) {
    const Mean mean = MeanOf(values);
    report.Add({absl::StrCat(name, ": ", what), mean.value, mean.stderr_, 0, Direction::kReported,
                TextOf(choices)});
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

// PREQUEL_UCI=boston for that set alone.
bool Wanted(const std::string& name) {
  const char* only = std::getenv("PREQUEL_UCI");
  return only == nullptr || name == only;
}

}  // namespace

void RulesUci(Report& report) {
  report.Section("UCI regression");
  report.Describe(absl::StrFormat(
      "A network of 50 tanh units over the given splits, minibatches of %d rows, learned noise, "
      "standardisation as the rows come. One pass, or %d by the rules that know N. For every rule "
      "alike, and for every split anew: prior precision 1 or 10, scaled by the layer's inputs or "
      "not, and the step sizes named, if the rule has one, are those of the least NLL on a fifth "
      "held out of the training rows; then all of them are learned. Published SLANG's "
      "log-likelihoods are to be beaten by one rule on five of the six sets.",
      kBatch, kPasses));
  std::map<std::string, int> beaten;  // sets, by contender
  for (const PublishedSet& published : kSets) {
    if (!Wanted(published.name)) continue;
    std::optional<SplitSet> set = ReadSplitSet(published.name);
    if (!set) {
      report.Skip(published.name, "PREQUEL_DATA_DIR has no such file");
      continue;
    }
    for (const Contender& contender : Contenders()) {
      const std::string name = absl::StrCat(published.name, ", ", contender.name);
      const auto likelihood =
          AddContender(name, *set, contender, std::min(Splits(), set->test_rows.size()), report);
      beaten[contender.name] += likelihood && *likelihood > published.slang ? 1 : 0;
    }
  }
  const auto best = std::max_element(beaten.begin(), beaten.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (best == beaten.end()) return;
  report.Add({"sets of which a rule beats SLANG's log-likelihood",
              static_cast<double>(best->second), 0, 5, Direction::kAtLeast, best->first});
}

}  // namespace prequel::accept
