// Whether networks know what they do not know: digits, and images that are none.
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/accept/digits.h"
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

// One way to learn, and what of it is chosen.
struct Contender {
  std::string name;
  ComponentConfig rule, posterior;
  bool recursive = false;  // as on a stream; otherwise as over N rows
  std::vector<Axis> axes;  // in the order of the search
};

constexpr const char* kBaseline = "adam";
constexpr const char* kClaimed = "vogn on kronecker";  // better calibrated than the baseline

// The baseline comes first.
std::vector<Contender> Contenders(int passes) {
  const Axis precision{&Setting::precision, {1, 10, 100}};
  const Axis temperature{&Setting::temperature, {1, 0.3, 0.1}};
  const Axis damping{&Setting::damping, {0, 0.01}};
  const auto alpha = [](std::vector<double> values) {
    return Axis{&Setting::alpha, std::move(values)};
  };
  const double refresh = passes == 1 ? 10 : 100;
  std::vector<Contender> all = {
      {kBaseline, {"adam", {}}, {"point", {}}, false, {alpha({0.003, 0.01, 0.03}), precision}},
      {"vogn",
       {"vogn", {}},
       {"diagonal", {}},
       false,
       {alpha({0.003, 0.01, 0.03, 0.1}), temperature, precision, damping}},
      {"ivon",
       {"ivon", {}},
       {"diagonal", {}},
       false,
       {alpha({0.1, 0.3, 1}), temperature, precision}},
      {kClaimed,
       {"vogn", {{"refresh", refresh}}},
       {"kronecker", {}},
       false,
       {alpha({0.003, 0.01, 0.03, 0.1}), temperature, precision, damping}}};
  if (passes > 1) return all;
  all.push_back({"vogn on a stream",
                 {"vogn", {}},
                 {"diagonal", {}},
                 true,
                 {alpha({0.01, 0.03, 0.1, 0.3}), precision}});
  all.push_back({"ivon on a stream",
                 {"ivon", {}},
                 {"diagonal", {}},
                 true,
                 {alpha({0.01, 0.03, 0.1, 0.3}), precision}});
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

// By the NLL of rows held out of the training rows: axis after axis the value of the least, and
// then the first axis again.
Setting Choose(const DigitSet& set, const Contender& contender, int passes) {
  const Division rows = HoldOut(set.train);
  Setting best;
  best.alpha = contender.axes.front().values.front();
  double least = std::numeric_limits<double>::infinity();
  std::vector<Axis> axes = contender.axes;
  axes.push_back(axes.front());
  for (const Axis& axis : axes) {
    const Setting start = best;
    for (const double value : axis.values) {
      if (std::isfinite(least) && start.*axis.number == value) continue;  // known
      Setting setting = start;
      setting.*axis.number = value;
      Folding fold = Learned(set, contender, setting, rows.train, passes, kChoosing);
      const double nll = Ask(fold, rows.test).scores.nll;
      if (!(nll < least)) continue;
      least = nll;
      best = setting;
    }
  }
  return best;
}

// One value per seed.
struct Outcome {
  std::vector<double> accuracy, nll, ece, auroc;
  std::string setting;
};

std::string TextOf(const Contender& contender, const Setting& setting) {
  std::string text = absl::StrFormat("seeds 1-%d", static_cast<int>(kSeeds));
  const auto add = [&](const char* name, double Setting::*number) {
    for (const Axis& axis : contender.axes) {
      if (axis.number == number) absl::StrAppendFormat(&text, ", %s %g", name, setting.*number);
    }
  };
  add("alpha", &Setting::alpha);
  add("precision", &Setting::precision);
  add("temperature", &Setting::temperature);
  add("damping", &Setting::damping);
  return text;
}

Outcome Run(const DigitSet& set, const Contender& contender, int passes) {
  const Setting setting = Choose(set, contender, passes);
  const Batch turned = Turned(set.test, set.side);
  Outcome out;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Folding fold = Learned(set, contender, setting, set.train, passes, seed);
    const Answers digits = Ask(fold, set.test), others = Ask(fold, turned);
    out.accuracy.push_back(*digits.scores.accuracy);
    out.nll.push_back(digits.scores.nll);
    out.ece.push_back(*digits.scores.ece);
    out.auroc.push_back(Auroc(others.entropy, digits.entropy));
  }
  out.setting = TextOf(contender, setting);
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

// A lower ECE than `baseline`'s, and no lower accuracy by two standard errors.
bool IsBetterCalibrated(const Outcome& outcome, const Outcome& baseline) {
  const Mean own = MeanOf(outcome.accuracy), other = MeanOf(baseline.accuracy);
  return MeanOf(outcome.ece).value < MeanOf(baseline.ece).value &&
         own.value >= other.value - 2 * std::hypot(own.stderr_, other.stderr_);
}

// How often, of how many times.
struct Count {
  int better = 0, of = 0;
};

void AddSet(const std::optional<DigitSet>& set, const char* name, Report& report,
            std::map<std::string, Count>& counts) {
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  for (const int passes : {1, kManyPasses}) {
    std::optional<Outcome> baseline;
    for (const Contender& contender : Contenders(passes)) {
      const Outcome outcome = Run(*set, contender, passes);
      AddOutcome(absl::StrFormat("%s, %s, %s", set->name, passes == 1 ? "one pass" : "many passes",
                                 contender.name),
                 outcome, report);
      if (baseline) {
        Count& count = counts[contender.name];
        count.better += IsBetterCalibrated(outcome, *baseline) ? 1 : 0;
        ++count.of;
      } else {
        baseline = outcome;
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
      "rule (its step size alpha, the prior's precision, the posterior's temperature and a "
      "damping, where it has one) is what has the least NLL on a fifth held out of the training "
      "rows, one number after the other and alpha once more; of adam too. ECE is of 15 bins. "
      "AUROC: how well the predictive's entropy tells the test rows turned by 90 degrees from the "
      "upright ones. A rule is better calibrated where its ECE is below adam's and its accuracy is "
      "not below by two standard errors; %s is wanted to be so always.",
      kHidden, static_cast<int>(kBatch), kManyPasses, kClaimed));
  std::map<std::string, Count> counts;
  AddSet(Usps(), "usps", report, counts);
  AddSet(Optdigits(), "optdigits", report, counts);
  AddSet(Mnist(), "mnist_t10k", report, counts);
  for (const auto& [rule, count] : counts) {
    report.Add({absl::StrFormat("%s: better calibrated than adam, times of %d", rule, count.of),
                static_cast<double>(count.better), 0, static_cast<double>(count.of),
                rule == kClaimed ? Direction::kAtLeast : Direction::kReported, ""});
  }
}

}  // namespace prequel::accept
