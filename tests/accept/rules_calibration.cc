// Whether networks know what they do not know: digits, and images that are none.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/encoding/category_table.h"
#include "core/state_codec.h"
#include "tests/accept/digits.h"
#include "tests/accept/in_parallel.h"
#include "tests/accept/kept_table.h"
#include "tests/accept/rules.h"

namespace prequel::accept {
namespace {

constexpr double kHidden = 64;
constexpr Index kBatch = 64;
constexpr int kManyPasses = 30;
constexpr std::uint64_t kSeeds = 5;
constexpr std::uint64_t kChoosing = 101;  // the seed that settings are chosen with

struct Setting {
  double alpha = 0, precision = 1, temperature = 1, damping = 0;
};

// What is offered of one number of the setting.
struct Axis {
  double Setting::*number;
  std::vector<double> values;
};

// Numbers that are chosen together: every combination is tried.
using Stage = std::vector<Axis>;

// One way to learn, and what of it is chosen, stage after stage; before its stage a number has the
// first of its values.
struct Contender {
  std::string name;
  ComponentConfig rule, posterior;
  bool recursive = false;  // as on a stream; otherwise as over N rows
  std::vector<Stage> stages;
};

constexpr const char* kBaseline = "adam";
constexpr const char* kClaimed = "vogn on kronecker";  // better calibrated than the baseline

// The baseline comes first.
std::vector<Contender> Contenders(int passes) {
  const bool once = passes == 1;
  const auto alpha = [](std::vector<double> values) {
    return Axis{&Setting::alpha, std::move(values)};
  };
  const Axis precision{&Setting::precision, {10, 1, 100}};
  const Axis damping{&Setting::damping, {0.01, 0}};
  Axis temperature{&Setting::temperature, {1, 0.3, 0.1}};
  if (once) temperature.values.push_back(0.03);
  const Axis steps = alpha(once ? std::vector{0.01, 0.03, 0.1} : std::vector{0.003, 0.01, 0.03});
  const std::vector<Stage> as_vogn = {{steps, temperature}, {precision, damping}};
  const std::vector<Stage> on_a_stream = {{alpha({0.01, 0.03, 0.1, 0.3}), precision}};
  std::vector<Contender> all = {
      {kBaseline,
       {"adam", {}},
       {"point", {}},
       false,
       {{alpha({0.001, 0.003, 0.01, 0.03}), precision}}},
      {"vogn", {"vogn", {}}, {"diagonal", {}}, false, as_vogn},
      {"ivon",
       {"ivon", {}},
       {"diagonal", {}},
       false,
       {{alpha({0.1, 0.3, 1}), temperature}, {precision}}},
      {kClaimed, {"vogn", {{"refresh", once ? 10.0 : 100.0}}}, {"kronecker", {}}, false, as_vogn}};
  if (!once) return all;
  all.push_back({"vogn on a stream", {"vogn", {}}, {"diagonal", {}}, true, on_a_stream});
  all.push_back({"ivon on a stream", {"ivon", {}}, {"diagonal", {}}, true, on_a_stream});
  return all;
}

LearnerConfig ConfigFor(const DigitSet& set, const Contender& contender, const Setting& setting,
                        Index rows, std::uint64_t seed) {
  LearnerConfig config = DigitNetwork(set.side, kHidden);
  config.prior.options["precision"] = setting.precision;
  config.posterior = contender.posterior;
  config.rule = contender.rule;
  auto& options = config.rule.options;
  const auto n = static_cast<double>(rows);
  options["alpha"] = setting.alpha;
  options["mode"] = std::string(contender.recursive ? "recursive" : "dataset");
  if (!contender.recursive) {
    options["dataset_size"] = n;
    if (contender.rule.name == "vogn") {
      options["temperature"] = setting.temperature;
      options["damping"] = setting.damping;
    }
    if (contender.rule.name == "ivon") options["effective_size"] = n / setting.temperature;
  }
  // Of what is scored while learning; Ask draws.
  if (contender.name != kBaseline) options["predictive"] = std::string("mean");
  config.seed = seed;
  return config;
}

Folding Learned(const DigitSet& set, const Contender& contender, const Setting& setting,
                const Batch& rows, int passes, std::uint64_t seed) {
  Folding fold(ConfigFor(set, contender, setting, rows.rows(), seed));
  fold.LearnInPasses(rows, kBatch, passes, seed);
  return fold;
}

// `from` with every combination of what the stage offers.
std::vector<Setting> Combinations(const Setting& from, const Stage& stage) {
  std::vector<Setting> all = {from};
  for (const Axis& axis : stage) {
    std::vector<Setting> more;
    for (const double value : axis.values) {
      for (Setting setting : all) {
        setting.*axis.number = value;
        more.push_back(setting);
      }
    }
    all = std::move(more);
  }
  return all;
}

Setting FirstOf(const Contender& contender) {
  Setting first;
  for (const Stage& stage : contender.stages) {
    for (const Axis& axis : stage) first.*axis.number = axis.values.front();
  }
  return first;
}

// One contender, learning one set in so many passes.
struct Study {
  const DigitSet& set;
  const Contender& contender;
  int passes = 1;
};

// By the NLL of rows held out of the training rows.
Setting Choose(const Study& study) {
  const Division rows = HoldOut(study.set.train);
  Setting best = FirstOf(study.contender);
  for (const Stage& stage : study.contender.stages) {
    const std::vector<Setting> offered = Combinations(best, stage);
    std::vector<double> nll(offered.size());
    InParallel(offered.size(), [&](std::size_t k) {
      Folding fold =
          Learned(study.set, study.contender, offered[k], rows.train, study.passes, kChoosing);
      nll[k] = Ask(fold, rows.test).scores.nll;
    });
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < offered.size(); ++k) {
      if (!(nll[k] < least)) continue;
      least = nll[k];
      best = offered[k];
    }
  }
  return best;
}

std::string TextOf(const Contender& contender, const Setting& setting) {
  std::string text = absl::StrFormat("seeds 1-%d", static_cast<int>(kSeeds));
  const auto add = [&](const char* name, double Setting::*number) {
    for (const Stage& stage : contender.stages) {
      for (const Axis& axis : stage) {
        if (axis.number == number) absl::StrAppendFormat(&text, ", %s %g", name, setting.*number);
      }
    }
  };
  add("alpha", &Setting::alpha);
  add("precision", &Setting::precision);
  add("temperature", &Setting::temperature);
  add("damping", &Setting::damping);
  return text;
}

// Accuracy, NLL, ECE and AUROC of one seed.
using Figures = std::vector<double>;

Figures Measure(const Study& study, const Setting& setting, std::uint64_t seed) {
  Folding fold = Learned(study.set, study.contender, setting, study.set.train, study.passes, seed);
  const Answers digits = Ask(fold, study.set.test);
  const Answers others = Ask(fold, Turned(study.set.test, study.set.side));
  return {*digits.scores.accuracy, digits.scores.nll, *digits.scores.ece,
          Auroc(others.entropy, digits.entropy)};
}

// Of every configuration that may be tried, passes and minibatches.
std::uint64_t ProtocolOf(const Study& study) {
  std::string all = absl::StrCat(study.passes, " ", kBatch, " ", kChoosing);
  const Setting first = FirstOf(study.contender);
  for (const Stage& stage : study.contender.stages) {
    for (const Setting& setting : Combinations(first, stage)) {
      absl::StrAppend(&all, " ",
                      Fingerprint(ConfigFor(study.set, study.contender, setting,
                                            study.set.train.rows(), kChoosing)));
    }
  }
  return StableHash(all);
}

// One value per seed.
struct Outcome {
  std::vector<double> accuracy, nll, ece, auroc;
  std::string setting;
};

// What the table does not hold is measured.
Outcome Run(const Study& study, KeptTable& table) {
  const auto key = [&, protocol = absl::StrFormat("%016x", ProtocolOf(study))](std::size_t seed) {
    return KeptTable::Key{study.set.name, absl::StrCat(study.passes), study.contender.name,
                          protocol, absl::StrCat(seed)};
  };
  if (!table.Find(key(kSeeds))) {
    const Setting setting = Choose(study);
    std::vector<Figures> of_seed(kSeeds);
    InParallel(kSeeds, [&](std::size_t k) { of_seed[k] = Measure(study, setting, k + 1); });
    for (std::size_t k = 0; k < kSeeds; ++k) {
      table.Add(key(k + 1), {TextOf(study.contender, setting), of_seed[k]});
    }
  }
  Outcome out;
  for (std::size_t seed = 1; seed <= kSeeds; ++seed) {
    const KeptLine line = *table.Find(key(seed));
    out.accuracy.push_back(line.figures[0]);
    out.nll.push_back(line.figures[1]);
    out.ece.push_back(line.figures[2]);
    out.auroc.push_back(line.figures[3]);
    out.setting = line.setting;
  }
  return out;
}

void AddOutcome(const std::string& name, const Outcome& outcome, Report& report) {
  const auto add = [&](const char* what, const std::vector<double>& values) {
    const Mean mean = MeanOf(values);
    report.Add({absl::StrFormat("%s: %s", name, what), mean.value, mean.stderr_, 0,
                Direction::kReported, outcome.setting});
  };
  add("accuracy", outcome.accuracy);
  add("NLL", outcome.nll);
  add("ECE", outcome.ece);
  add("AUROC of turned digits", outcome.auroc);
}

// By two standard errors.
bool IsLessAccurate(const Outcome& outcome, const Outcome& baseline) {
  const Mean own = MeanOf(outcome.accuracy), other = MeanOf(baseline.accuracy);
  return own.value < other.value - 2 * std::hypot(own.stderr_, other.stderr_);
}

// A lower ECE, and no less accurate.
bool IsBetterCalibrated(const Outcome& outcome, const Outcome& baseline) {
  return MeanOf(outcome.ece).value < MeanOf(baseline.ece).value &&
         !IsLessAccurate(outcome, baseline);
}

// A contender beside the baseline, over sets and passes.
struct Comparison {
  int times = 0, better = 0, less_accurate = 0, less_nll = 0;
  double ece = 0, variance = 0;  // sum of the baseline's less the contender's, and of its errors

  void Add(const Outcome& outcome, const Outcome& baseline) {
    ++times;
    better += IsBetterCalibrated(outcome, baseline) ? 1 : 0;
    less_accurate += IsLessAccurate(outcome, baseline) ? 1 : 0;
    less_nll += MeanOf(outcome.nll).value < MeanOf(baseline.nll).value ? 1 : 0;
    const Mean own = MeanOf(outcome.ece), other = MeanOf(baseline.ece);
    ece += other.value - own.value;
    variance += own.stderr_ * own.stderr_ + other.stderr_ * other.stderr_;
  }
};

void AddComparison(const std::string& name, const Comparison& of, Report& report) {
  const auto add = [&](const char* what, int times) {
    report.Add({absl::StrFormat("%s: %s, times of %d", name, what, of.times),
                static_cast<double>(times), 0, 0, Direction::kReported, ""});
  };
  add("less accurate than adam by two standard errors", of.less_accurate);
  add("less NLL than adam", of.less_nll);
  report.Add({absl::StrFormat("%s: adam's mean ECE less its own", name), of.ece / of.times,
              std::sqrt(of.variance) / of.times, 0, Direction::kReported,
              absl::StrFormat("mean of %d, the error over seeds", of.times)});
  report.Add({absl::StrFormat("%s: better calibrated than adam, times of %d", name, of.times),
              static_cast<double>(of.better), 0, static_cast<double>(of.times),
              name == kClaimed ? Direction::kAtLeast : Direction::kReported, ""});
}

using Comparisons = std::map<std::string, Comparison>;

void AddSet(const std::optional<DigitSet>& set, const char* name, Report& report, KeptTable& table,
            Comparisons& comparisons) {
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  for (const int passes : {1, kManyPasses}) {
    std::optional<Outcome> baseline;
    for (const Contender& contender : Contenders(passes)) {
      const Outcome outcome = Run({*set, contender, passes}, table);
      AddOutcome(absl::StrFormat("%s, %s, %s", set->name, passes == 1 ? "one pass" : "many passes",
                                 contender.name),
                 outcome, report);
      if (!baseline) {
        baseline = outcome;
      } else {
        comparisons[contender.name].Add(outcome, *baseline);
      }
    }
  }
}

}  // namespace

void RulesCalibration(Report& report) {
  report.Section("Calibration: digits, and digits turned by a quarter");
  report.Describe(absl::StrFormat(
      "A network of %g hidden relu units on minibatches of %d, in one pass over the training rows "
      "and in %d; asked about the test rows, by 32 draws of the weights. What is chosen of each "
      "rule is what has the least NLL on a fifth held out of the training rows: its step size "
      "alpha and the posterior's temperature together, then the prior's precision and a damping, "
      "where it has one; of adam (and on a stream) alpha and the precision together. ECE is of 15 "
      "bins. AUROC: how well the predictive's entropy tells the test rows turned by 90 degrees "
      "from the upright ones. A rule is better calibrated where its ECE is below adam's and its "
      "accuracy is not below by two standard errors; %s is wanted to be so always. "
      "What rules.calibration.tsv holds is not measured again.",
      kHidden, static_cast<int>(kBatch), kManyPasses, kClaimed));
  KeptTable table(report.folder(), "rules.calibration.tsv",
                  {{"set", "passes", "contender", "protocol", "seed"},
                   {"accuracy", "NLL", "ECE", "AUROC of turned digits"}});
  Comparisons comparisons;
  AddSet(Usps(), "usps", report, table, comparisons);
  AddSet(Optdigits(), "optdigits", report, table, comparisons);
  AddSet(Mnist(), "mnist_t10k", report, table, comparisons);
  for (const auto& [name, comparison] : comparisons) AddComparison(name, comparison, report);
}

}  // namespace prequel::accept
