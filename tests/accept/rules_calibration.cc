// Whether networks know what they do not know: digits, and images that are none.
#include <cmath>
#include <limits>
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
  double alpha = 0, precision = 0, temperature = 1;
  bool recursive = false;  // as on a stream; otherwise as over N rows
};

// What a rule is run with, in one pass or in many.
struct Course {
  std::string rule;
  bool many = false;

  std::string name() const { return (many ? "many passes, " : "one pass, ") + rule; }
  int passes() const { return many ? kManyPasses : 1; }
};

std::vector<double> Sizes(const std::string& rule, bool recursive) {
  if (rule == "adam") return {0.001, 0.003, 0.01, 0.03};
  if (rule == "vogn") return {0.003, 0.01, 0.03, 0.1, 0.3};
  return recursive ? std::vector<double>{0.01, 0.03, 0.1, 0.3} : std::vector<double>{0.1, 0.3, 1};
}

std::vector<Setting> Settings(const Course& course) {
  using Numbers = std::vector<double>;
  const bool adam = course.rule == "adam";
  std::vector<Setting> all;
  for (const bool recursive : {false, true}) {
    if (recursive && (adam || course.many)) continue;
    for (const double alpha : Sizes(course.rule, recursive)) {
      for (const double precision : {1.0, 10.0, 100.0}) {
        for (const double temperature : adam || recursive ? Numbers{1} : Numbers{1, 0.3, 0.1}) {
          all.push_back({alpha, precision, temperature, recursive});
        }
      }
    }
  }
  return all;
}

LearnerConfig ConfigFor(const DigitSet& set, const Course& course, const Setting& setting,
                        Index rows, std::uint64_t seed) {
  LearnerConfig config = DigitNetwork(set.side, kHidden);
  config.prior.options["precision"] = setting.precision;
  const auto n = static_cast<double>(rows);
  config.rule = {course.rule, {{"alpha", setting.alpha}}};
  auto& options = config.rule.options;
  options["mode"] = std::string(setting.recursive ? "recursive" : "dataset");
  if (!setting.recursive) options["dataset_size"] = n;
  if (!setting.recursive && course.rule == "vogn") options["temperature"] = setting.temperature;
  if (!setting.recursive && course.rule == "ivon")
    options["effective_size"] = n / setting.temperature;
  // Of what is scored while learning; Ask draws.
  if (course.rule != "adam") options["predictive"] = std::string("mean");
  config.seed = seed;
  return config;
}

Folding Learned(const DigitSet& set, const Course& course, const Setting& setting,
                const Batch& rows, std::uint64_t seed) {
  Folding fold(ConfigFor(set, course, setting, rows.rows(), seed));
  fold.LearnInPasses(rows, kBatch, course.passes(), seed);
  return fold;
}

// The setting of the least NLL on rows held out of the training rows.
Setting Choose(const DigitSet& set, const Course& course) {
  const Division rows = HoldOut(set.train);
  double least = std::numeric_limits<double>::infinity();
  Setting best;
  for (const Setting& setting : Settings(course)) {
    Folding fold = Learned(set, course, setting, rows.train, kChoosing);
    const double nll = Ask(fold, rows.test).scores.nll;
    if (nll < least) {
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

Outcome Run(const DigitSet& set, const Course& course) {
  const Setting setting = Choose(set, course);
  const Batch turned = Turned(set.test, set.side);
  Outcome out;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Folding fold = Learned(set, course, setting, set.train, seed);
    const Answers digits = Ask(fold, set.test), others = Ask(fold, turned);
    out.accuracy.push_back(*digits.scores.accuracy);
    out.nll.push_back(digits.scores.nll);
    out.ece.push_back(*digits.scores.ece);
    out.auroc.push_back(Auroc(others.entropy, digits.entropy));
  }
  out.setting = absl::StrFormat("seeds 1-%d, alpha %g, precision %g", static_cast<int>(kSeeds),
                                setting.alpha, setting.precision);
  if (setting.recursive) out.setting += ", recursive";
  if (setting.temperature < 1) {
    out.setting += absl::StrFormat(", temperature %g", setting.temperature);
  }
  return out;
}

// `adam`: what must be matched, if anything.
void AddOutcome(const std::string& name, const Outcome& outcome, const Outcome* adam,
                Report& report) {
  const auto add = [&](const char* what, const std::vector<double>& values,
                       Direction direction = Direction::kReported, double target = 0) {
    const Mean mean = MeanOf(values);
    report.Add({absl::StrFormat("%s: %s", name, what), mean.value, mean.stderr_, target, direction,
                outcome.setting});
  };
  if (adam != nullptr) {
    const Mean own = MeanOf(outcome.accuracy), adams = MeanOf(adam->accuracy);
    add("accuracy", outcome.accuracy, Direction::kAtLeast,
        adams.value - 2 * std::hypot(own.stderr_, adams.stderr_));
    add("ECE", outcome.ece, Direction::kAtMost, MeanOf(adam->ece).value);
  } else {
    add("accuracy", outcome.accuracy);
    add("ECE", outcome.ece);
  }
  add("NLL", outcome.nll);
  add("AUROC of turned digits", outcome.auroc);
}

void AddSet(const std::optional<DigitSet>& set, const char* name, Report& report) {
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  for (const bool many : {false, true}) {
    const Course baseline{"adam", many};
    const Outcome adam = Run(*set, baseline);
    AddOutcome(set->name + ", " + baseline.name(), adam, nullptr, report);
    for (const char* rule : {"vogn", "ivon"}) {
      const Course course{rule, many};
      AddOutcome(set->name + ", " + course.name(), Run(*set, course), &adam, report);
    }
  }
}

}  // namespace

void RulesCalibration(Report& report) {
  report.Section("Calibration: digits, and digits turned by a quarter");
  report.Describe(absl::StrFormat(
      "A network of %g hidden relu units on minibatches of %d, in one pass over the training rows "
      "and in %d; asked about the test rows, by 32 draws of the weights. Each rule's step size "
      "alpha, of three to five, and the prior's precision, of 1, 10 and 100, are those of the "
      "least NLL on a fifth held out of the training rows, for adam too; and for vogn and ivon the "
      "temperature of the posterior, of 1, 0.3 and 0.1, and whether one pass is learned as from a "
      "stream (recursive) or as over N rows. ECE is of 15 bins. AUROC: how well the predictive's "
      "entropy tells the test rows turned by 90 degrees from the upright ones. vogn and ivon are "
      "wanted no less accurate than adam, by two standard errors, with no greater ECE.",
      kHidden, static_cast<int>(kBatch), kManyPasses));
  AddSet(Usps(), "usps", report);
  AddSet(Optdigits(), "optdigits", report);
  AddSet(Mnist(), "mnist_t10k", report);
}

}  // namespace prequel::accept
