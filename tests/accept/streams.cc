// Real streams of classes, one pass, predict then learn.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/scores/scoring.h"
#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

// Logistic regression whose prior is an equal mixture over decades of precision,
// Σ_k ¼ N(0, I/δ_k), so that no scale of the weights has to be chosen, on this stream or another.
// Its posterior is the mixture of the components' posteriors, each weighted by how well it
// predicted so far; what is scored is the mixture's predictive.
class ScaleMixture {
 public:
  static constexpr std::array<double, 4> kPrecisions = {0.01, 0.1, 1, 10};

  explicit ScaleMixture(LearnerConfig config) {
    log_weights_.fill(-std::log(static_cast<double>(kPrecisions.size())));
    for (const double precision : kPrecisions) {
      config.prior.options["precision"] = precision;
      components_.emplace_back(config);
    }
  }

  // REQUIRES: `row` is one labelled example.
  void Learn(const Batch& row) {
    for (std::size_t k = 0; k < kPrecisions.size(); ++k) {
      log_weights_[k] -= components_[k].Learn(row).scores["nll"];
    }
    const double most = *std::max_element(log_weights_.begin(), log_weights_.end());
    double sum = 0;
    for (const double weight : log_weights_) sum += std::exp(weight - most);
    const double log_probability = most + std::log(sum);  // of the label
    for (double& weight : log_weights_) weight -= log_probability;
    nll_ -= log_probability;
    correct_ += log_probability > -std::log(2.0) ? 1 : 0;
    rows_ += 1;
  }

  double nll() const { return nll_ / rows_; }
  double accuracy() const { return correct_ / rows_; }

 private:
  std::deque<Folding> components_;                      // as kPrecisions
  std::array<double, kPrecisions.size()> log_weights_;  // sum to 1, exponentiated
  double nll_ = 0, correct_ = 0, rows_ = 0;
};

constexpr char kRowByRow[] = "linear, rvga full, row by row, ";
constexpr char kDefaults[] = "default settings";

// Its rows bear no time: 20 orders, all settings the defaults.
void Phishing(Report& report) {
  const auto path = DataPath("streams/phishing.csv");
  if (!path) return report.Skip("phishing", "PREQUEL_DATA_DIR has no streams/");
  const DataFile file = ReadDataFile(*path, "y", "bernoulli");
  std::vector<double> accuracy, nll;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Folding fold(file.config);
    fold.LearnAll(Pick(file.rows, Shuffled(file.rows.rows(), seed)), 1);
    accuracy.push_back(fold.scores()["accuracy"]);
    nll.push_back(fold.scores()["nll"]);
  }
  const std::string setting =
      absl::StrCat(file.rows.rows(), " rows in 20 orders, seeds 1 to 20, ", kRowByRow, kDefaults);
  report.Add({"phishing prequential accuracy", MeanOf(accuracy).value, MeanOf(accuracy).stderr_,
              0.896, Direction::kAtLeast, setting});
  report.Add({"phishing prequential NLL", MeanOf(nll).value, MeanOf(nll).stderr_, 0.263,
              Direction::kAtMost, setting});
}

void Elec2(Report& report) {
  const auto path = DataPath("streams/elec2.csv");
  if (!path) return report.Skip("elec2", "PREQUEL_DATA_DIR has no streams/");
  DataFile file = ReadDataFile(*path, "y", "bernoulli");
  file.config.dynamics.name = "static";
  Folding single(file.config);
  ScaleMixture mixture(file.config);
  for (Index row = 0; row < file.rows.rows(); ++row) {
    const Batch example = Slice(file.rows, row, 1);
    single.Learn(example);
    mixture.Learn(example);
  }
  report.Add({"elec2 static prequential NLL", mixture.nll(), 0, 0.497, Direction::kAtMost,
              absl::StrCat(file.rows.rows(), " rows in order of time, ", kRowByRow,
                           "prior an equal mixture of precisions 0.01, 0.1, 1, 10, accuracy ",
                           mixture.accuracy(), "; with ", kDefaults, " ", single.scores()["nll"])});
}

void Optdigits(Report& report) {
  const auto train_path = DataPath("multiclass/optdigits_train.csv");
  const auto test_path = DataPath("multiclass/optdigits_test.csv");
  if (!train_path || !test_path) {
    return report.Skip("optdigits", "PREQUEL_DATA_DIR has no multiclass/");
  }
  const DataFile train = ReadDataFile(*train_path, "y", "categorical");
  const DataFile test = ReadDataFile(*test_path, "y", "categorical");
  Folding fold(train.config);
  fold.LearnAll(train.rows, 32);

  const Matrix predicted = fold.Predict(test.rows)["probabilities"];
  Tally tally(TargetKind::kClasses);
  for (Index i = 0; i < test.rows.rows(); ++i) {
    const auto label = static_cast<Index>(test.rows.targets(0, i));
    AddClassified(predicted.col(i), label, std::log(predicted(label, i)), tally);
  }
  const Scores scores = tally.Average();
  const std::string setting =
      "3823 training rows in one pass, 1797 test rows, linear, rvga full, "
      "batches of 32, NLL " +
      std::to_string(scores["nll"]);
  report.Add({"optdigits test accuracy after one pass", scores["accuracy"], 0, 0.93,
              Direction::kAtLeast, setting});
  report.Add({"optdigits test ECE", scores["ece"], 0, 0.03, Direction::kAtMost, setting});
}

}  // namespace

void Streams(Report& report) {
  report.Section("Streams of classes, one pass");
  Phishing(report);
  Elec2(report);
  Optdigits(report);
}

}  // namespace prequel::accept
