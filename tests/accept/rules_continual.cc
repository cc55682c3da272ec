// One task after the other without going back: digits whose pixels are permuted anew for each.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/accept/data_file.h"
#include "tests/accept/digits.h"
#include "tests/accept/rules.h"

namespace prequel::accept {
namespace {

constexpr int kTasks = 5;
constexpr std::uint64_t kSeeds = 5;
constexpr std::uint64_t kChoosing = 101;  // the seed that settings are chosen with

// Images of one set and how they are learned.
struct Study {
  DigitSet set;
  double hidden = 0;
  Index batch = 0;
};

struct Contender {
  std::string name;
  std::vector<ComponentConfig> settings;  // of the rule
  std::vector<double> precisions;         // of the prior
  std::string posterior;                  // empty: the rule's own
};

std::vector<ComponentConfig> Sizes(const std::string& rule, const std::vector<double>& sizes) {
  std::vector<ComponentConfig> all;
  for (const double alpha : sizes) all.push_back({rule, {{"alpha", alpha}}});
  return all;
}

const std::vector<double> kPrecisions = {1, 10, 100};
const std::vector<double> kAlphas = {0.01, 0.03, 0.1, 0.3};

// adam comes first; the others are to beat it.
std::vector<Contender> Contenders() {
  return {{"adam", Sizes("adam", {0.0003, 0.001, 0.003, 0.01}), {1}, ""},
          {"rvga on diagonal", {{"rvga", {}}}, kPrecisions, "diagonal"},
          {"vogn", Sizes("vogn", kAlphas), kPrecisions, ""},
          {"ivon", Sizes("ivon", kAlphas), kPrecisions, ""}};
}

Batch Permuted(const Batch& rows, std::uint64_t seed, int task) {
  Batch out = rows;
  const std::vector<Index> order =
      Shuffled(rows.inputs.rows(), 100 * seed + static_cast<std::uint64_t>(task));
  for (Index k = 0; k < rows.inputs.rows(); ++k) {
    out.inputs.row(k) = rows.inputs.row(order[static_cast<std::size_t>(k)]);
  }
  return out;
}

// Accuracy on each task after the last, of a network that saw every row of `train` once per task.
std::vector<double> Accuracies(const Study& study, const Batch& train, const Batch& test,
                               const ComponentConfig& rule, double precision,
                               const std::string& posterior, std::uint64_t seed) {
  LearnerConfig config = DigitNetwork(study.set.side, study.hidden);
  config.prior.options["precision"] = precision;
  config.posterior.name = posterior;
  config.rule = rule;
  const bool adam = rule.name == "adam";
  if (adam) {
    config.rule.options["dataset_size"] = static_cast<double>(kTasks * train.rows());
  } else {
    config.rule.options["mode"] = std::string("recursive");
    if (rule.name != "rvga") config.rule.options["predictive"] = std::string("mean");
  }
  config.seed = seed;
  Folding fold(config);
  for (int task = 0; task < kTasks; ++task) {
    fold.LearnInPasses(Permuted(train, seed, task), study.batch, 1, 10 * seed + task);
  }
  std::vector<double> accuracies;
  for (int task = 0; task < kTasks; ++task) {
    accuracies.push_back(Ask(fold, Permuted(test, seed, task)).scores["accuracy"]);
  }
  return accuracies;
}

struct Chosen {
  ComponentConfig rule;
  double precision = 1;
};

// The setting of the greatest mean accuracy on rows held out of the training rows, over the tasks.
Chosen Choose(const Study& study, const Contender& contender) {
  const Division rows = HoldOut(study.set.train);
  double most = -1;
  Chosen best;
  for (const ComponentConfig& rule : contender.settings) {
    for (const double precision : contender.precisions) {
      const double accuracy = MeanOf(Accuracies(study, rows.train, rows.test, rule, precision,
                                                contender.posterior, kChoosing))
                                  .value;
      if (accuracy > most) {
        most = accuracy;
        best = {rule, precision};
      }
    }
  }
  return best;
}

void AddStudy(const Study& study, Report& report) {
  std::optional<double> adam;
  for (const Contender& contender : Contenders()) {
    const Chosen chosen = Choose(study, contender);
    std::vector<double> means, firsts, lasts;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::vector<double> accuracies =
          Accuracies(study, study.set.train, study.set.test, chosen.rule, chosen.precision,
                     contender.posterior, seed);
      means.push_back(MeanOf(accuracies).value);
      firsts.push_back(accuracies.front());
      lasts.push_back(accuracies.back());
    }
    const auto alpha = chosen.rule.options.find("alpha");
    const Mean mean = MeanOf(means);
    report.Add(
        {absl::StrFormat("%s, %s: accuracy over %d tasks", study.set.name, contender.name, kTasks),
         mean.value, mean.stderr_, adam.value_or(0),
         adam ? Direction::kAtLeast : Direction::kReported,
         absl::StrFormat("seeds 1-%d, %sprecision %g; first task %.3f, last %.3f",
                         static_cast<int>(kSeeds),
                         alpha == chosen.rule.options.end()
                             ? ""
                             : absl::StrFormat("alpha %g, ", std::get<double>(alpha->second)),
                         chosen.precision, MeanOf(firsts).value, MeanOf(lasts).value)});
    if (!adam) adam = mean.value;
  }
}

void AddSet(const std::optional<DigitSet>& set, const char* name, double hidden, Index batch,
            Report& report) {
  if (!set) return report.Skip(name, "PREQUEL_DATA_DIR has no such file");
  AddStudy({*set, hidden, batch}, report);
}

}  // namespace

void RulesContinual(Report& report) {
  report.Section("Continual learning: permuted digits");
  report.Describe(absl::StrFormat(
      "%d tasks, each the same digits with the pixels in another order, one after the other, every "
      "training row seen once per task and never again; then the test rows of all tasks, by one "
      "network with one output per digit. A task is not announced. Step size and prior precision "
      "are those of the greatest accuracy on a fifth held out of the training rows, with a seed of "
      "its own. Recursive rules are to forget less than adam.",
      kTasks));
  AddSet(Optdigits(), "optdigits", 50, 8, report);
  AddSet(Mnist(), "mnist_t10k", 100, 16, report);
}

}  // namespace prequel::accept
