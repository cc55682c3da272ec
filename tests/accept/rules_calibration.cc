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
#include "core/archive/stable_hash.h"
#include "core/config/fingerprint.h"
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
constexpr std::uint64_t kChoosing = 101;  // the first seed that settings are chosen with

// So many of them; steps of a fixed length end in noise, which takes more than one.
std::size_t ChoosingSeeds(int passes) { return passes == 1 ? 3 : 1; }

struct Setting {
  double alpha = 0, precision = 1, temperature = 1;
};

// One way to learn, and what of it is chosen: every combination is tried.
struct Contender {
  std::string name;
  std::string baseline;  // the contender it is compared with; empty: none
  ComponentConfig rule, posterior;
  bool recursive = false;  // as on a stream; otherwise as over N rows
  std::vector<double> alphas, precisions, temperatures;
};

constexpr const char* kClaimed = "vogn on kronecker";  // better calibrated than its baseline

// A baseline comes before those that are compared with it.
std::vector<Contender> Contenders(int passes) {
  const bool once = passes == 1;
  const std::vector<double> of_adam = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
  const std::vector<double> of_vogn =
      once ? std::vector{0.01, 0.02, 0.05, 0.1, 0.2} : std::vector{0.01, 0.02, 0.05, 0.1};
  const std::vector<double> of_ivon = {0.2, 0.5, 1, 2, 5};
  const std::vector<double> prior = {1}, priors = {1, 3, 10, 30}, none = {1};
  const std::vector<double> warm = once ? std::vector{1.0, 0.3, 0.1} : std::vector{1.0, 0.3};
  const ComponentConfig adam = {"adam", {}}, ivon = {"ivon", {}}, vogn = {"vogn", {}};
  ComponentConfig damped = vogn;
  damped.options["damping"] = 0.01;
  ComponentConfig noisy_kfac = damped;
  noisy_kfac.options["refresh"] = once ? 10.0 : 100.0;
  const ComponentConfig point = {"point", {}}, diagonal = {"diagonal", {}};
  const ComponentConfig factors = {"kronecker", {}};
  std::vector<Contender> all;
  all.push_back({"adam", "", adam, point, false, of_adam, prior, none});
  all.push_back({"vogn", "adam", damped, diagonal, false, of_vogn, prior, warm});
  all.push_back({"ivon", "adam", ivon, diagonal, false, of_ivon, prior, warm});
  all.push_back({kClaimed, "adam", noisy_kfac, factors, false, of_vogn, prior, warm});
  const std::string tuned = "adam, prior chosen";
  all.push_back({tuned, "", adam, point, false, of_adam, priors, none});
  all.push_back({"vogn on kronecker, prior chosen", tuned, noisy_kfac, factors, false, of_vogn,
                 priors, warm});
  if (!once) return all;
  const std::vector<double> on_a_stream = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
  all.push_back({"vogn on a stream", "adam", vogn, diagonal, true, on_a_stream, prior, none});
  all.push_back({"ivon on a stream", "adam", ivon, diagonal, true, on_a_stream, prior, none});
  return all;
}

// One contender, learning one set in so many passes.
struct Study {
  const DigitSet& set;
  const Contender& contender;
  int passes = 1;
};

LearnerConfig ConfigFor(const Study& study, const Setting& setting, Index rows,
                        std::uint64_t seed) {
  const Contender& contender = study.contender;
  LearnerConfig config = DigitNetwork(study.set.side, kHidden);
  config.prior.options["precision"] = setting.precision;
  config.posterior = contender.posterior;
  config.rule = contender.rule;
  auto& options = config.rule.options;
  const auto n = static_cast<double>(rows);
  options["alpha"] = setting.alpha;
  options["mode"] = std::string(contender.recursive ? "recursive" : "dataset");
  if (!contender.recursive) {
    options["dataset_size"] = n;
    if (contender.rule.name == "vogn") options["temperature"] = setting.temperature;
    if (contender.rule.name == "ivon") options["effective_size"] = n / setting.temperature;
    if (study.passes > 1) {
      options["schedule"] = std::string("cosine");
      options["schedule_steps"] = study.passes * std::ceil(n / static_cast<double>(kBatch));
    }
  }
  // Of what is scored while learning; Ask draws.
  if (contender.rule.name != "adam") options["predictive"] = std::string("mean");
  config.seed = seed;
  return config;
}

Folding Learned(const Study& study, const Setting& setting, const Batch& rows, std::uint64_t seed) {
  Folding fold(ConfigFor(study, setting, rows.rows(), seed));
  fold.LearnInPasses(rows, kBatch, study.passes, seed);
  return fold;
}

// Every combination of what is offered.
std::vector<Setting> Combinations(const Contender& contender) {
  std::vector<Setting> all;
  for (const double alpha : contender.alphas) {
    for (const double precision : contender.precisions) {
      for (const double temperature : contender.temperatures) {
        all.push_back({alpha, precision, temperature});
      }
    }
  }
  return all;
}

// By the NLL of rows held out of the training rows, a mean over seeds.
Setting Choose(const Study& study) {
  const Division rows = HoldOut(study.set.train);
  const std::vector<Setting> offered = Combinations(study.contender);
  const std::size_t seeds = ChoosingSeeds(study.passes);
  std::vector<double> nll(offered.size() * seeds);
  InParallel(nll.size(), [&](std::size_t k) {
    Folding fold = Learned(study, offered[k / seeds], rows.train, kChoosing + k % seeds);
    nll[k] = Ask(fold, rows.test).scores["nll"];
  });
  Setting best = offered.front();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < offered.size(); ++s) {
    double sum = 0;
    for (std::size_t k = 0; k < seeds; ++k) sum += nll[s * seeds + k];
    if (!(sum < least)) continue;
    least = sum;
    best = offered[s];
  }
  return best;
}

std::string TextOf(const Contender& contender, const Setting& setting) {
  std::string text =
      absl::StrFormat("seeds 1-%d, alpha %g", static_cast<int>(kSeeds), setting.alpha);
  if (contender.precisions.size() > 1) {
    absl::StrAppendFormat(&text, ", precision %g", setting.precision);
  }
  if (contender.temperatures.size() > 1) {
    absl::StrAppendFormat(&text, ", temperature %g", setting.temperature);
  }
  return text;
}

// Accuracy, NLL, ECE and AUROC of one seed.
using Figures = std::vector<double>;

Figures Measure(const Study& study, const Setting& setting, std::uint64_t seed) {
  Folding fold = Learned(study, setting, study.set.train, seed);
  const Answers digits = Ask(fold, study.set.test);
  const Answers others = Ask(fold, Turned(study.set.test, study.set.side));
  return {digits.scores["accuracy"], digits.scores["nll"], digits.scores["ece"],
          Auroc(others.entropy, digits.entropy)};
}

// Of every configuration that may be tried, passes and minibatches.
std::uint64_t ProtocolOf(const Study& study) {
  std::string all =
      absl::StrCat(study.passes, " ", kBatch, " ", kChoosing, " ", ChoosingSeeds(study.passes));
  for (const Setting& setting : Combinations(study.contender)) {
    absl::StrAppend(&all, " ",
                    Fingerprint(ConfigFor(study, setting, study.set.train.rows(), kChoosing)));
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

void AddComparison(const Contender& contender, const Comparison& of, Report& report) {
  const std::string& name = contender.name;
  const auto add = [&](const std::string& what, int times) {
    report.Add({absl::StrFormat("%s: %s, times of %d", name, what, of.times),
                static_cast<double>(times), 0, 0, Direction::kReported, ""});
  };
  const std::string& baseline = contender.baseline;
  add(absl::StrFormat("less accurate than %s by two standard errors", baseline), of.less_accurate);
  add(absl::StrFormat("less NLL than %s", baseline), of.less_nll);
  report.Add({absl::StrFormat("%s: mean ECE of %s less its own", name, baseline), of.ece / of.times,
              std::sqrt(of.variance) / of.times, 0, Direction::kReported,
              absl::StrFormat("mean of %d, the error over seeds", of.times)});
  report.Add(
      {absl::StrFormat("%s: better calibrated than %s, times of %d", name, baseline, of.times),
       static_cast<double>(of.better), 0, static_cast<double>(of.times),
       name == kClaimed ? Direction::kAtLeast : Direction::kReported, ""});
}

using Comparisons = std::map<std::string, Comparison>;

void AddSet(const std::optional<DigitSet>& set, const char* name, Report& report, KeptTable& table,
            Comparisons& comparisons) {
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  for (const int passes : {1, kManyPasses}) {
    std::map<std::string, Outcome> outcomes;
    for (const Contender& contender : Contenders(passes)) {
      const Outcome& outcome = outcomes[contender.name] = Run({*set, contender, passes}, table);
      AddOutcome(absl::StrFormat("%s, %s, %s", set->name, passes == 1 ? "one pass" : "many passes",
                                 contender.name),
                 outcome, report);
      if (contender.baseline.empty()) continue;
      comparisons[contender.name].Add(outcome, outcomes.at(contender.baseline));
    }
  }
}

}  // namespace

void RulesCalibration(Report& report) {
  report.Section("Calibration: digits, and digits turned by a quarter");
  report.Describe(absl::StrFormat(
      "A network of %g hidden relu units on minibatches of %d, under the prior N(0, 1) of every "
      "weight, in one pass over the training rows, alpha staying as it is, and in %d, alpha "
      "falling to 0 by half a cosine; asked about the test rows, by 32 draws of the weights. The "
      "model is the same for all: what is chosen is the rule's, its step size alpha and the "
      "posterior's temperature where it has one, by the least NLL on a fifth held out of the "
      "training rows, in one pass a mean over %d seeds. The precision of the prior is chosen with "
      "them of what is said to have its prior chosen. ECE is of 15 bins. AUROC: how well the "
      "predictive's entropy tells the test rows turned by 90 degrees from the upright ones. A rule "
      "is better calibrated where its ECE is below adam's and its accuracy is not below by two "
      "standard errors; %s is wanted to be so always. What rules.calibration.tsv holds is not "
      "measured again.",
      kHidden, static_cast<int>(kBatch), kManyPasses, static_cast<int>(ChoosingSeeds(1)),
      kClaimed));
  KeptTable table(report.folder(), "rules.calibration.tsv",
                  {{"set", "passes", "contender", "protocol", "seed"},
                   {"accuracy", "NLL", "ECE", "AUROC of turned digits"}});
  Comparisons comparisons;
  AddSet(Usps(), "usps", report, table, comparisons);
  AddSet(Optdigits(), "optdigits", report, table, comparisons);
  AddSet(Mnist(), "mnist_t10k", report, table, comparisons);
  for (const Contender& contender : Contenders(1)) {
    const auto found = comparisons.find(contender.name);
    if (found != comparisons.end()) AddComparison(contender, found->second, report);
  }
}

}  // namespace prequel::accept
