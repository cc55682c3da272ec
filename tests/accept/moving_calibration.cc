// Whether what is said to hold nine times in ten does, over the whole stream and in its worst part.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/predictive/predictive.h"
#include "core/random/philox.h"
#include "core/scores/tally.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/made_streams.h"
#include "tests/accept/moving.h"
#include "tests/accept/timing.h"
#include "tests/accept/uniform.h"

namespace prequel::accept {
namespace {

constexpr Index kWindow = 2000, kWarm = 1000;
constexpr std::uint64_t kSeeds = 5;

// Of the rows that were scored, how many of the 90 % intervals held: row by row, a minibatch's rows
// alike.
class Windows {
 public:
  void See(double coverage, Index rows) {
    for (Index i = 0; i < rows; ++i) inside_.push_back(coverage);
  }
  // The least and the greatest share over kWindow rows that follow each other.
  std::pair<double, double> Extremes() const {
    double sum = 0, least = 1, greatest = 0;
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      sum += inside_[i];
      if (i + 1 < kWindow) continue;
      if (i >= kWindow) sum -= inside_[i - kWindow];
      least = std::min(least, sum / kWindow);
      greatest = std::max(greatest, sum / kWindow);
    }
    return {least, greatest};
  }

 private:
  std::vector<double> inside_;
};

void CheckIntervals(const std::string& name, const LearnerConfig& config, const Batch& rows,
                    Index size, Report& report) {
  Folding fold(config);
  Windows windows;
  ForEachMinibatch(rows, size, [&](const Batch& batch) {
    const Learned learned = fold.Learn(batch);
    const double coverage = learned.scores["coverage90"];
    if (std::isfinite(coverage)) windows.See(coverage, learned.report.rows);
  });
  const std::string title = absl::StrCat(name, ", ", size, " rows per minibatch");
  const Scores scores = fold.scores();
  for (const int level : {50, 90, 95}) {
    const double coverage = scores[absl::StrCat("coverage", level)];
    report.Add({absl::StrCat(title, ": coverage of ", level, " %, off by"),
                std::abs(coverage - 0.01 * level), 0, 0.01, Direction::kAtMost,
                absl::StrFormat("%.4f", coverage)});
  }
  const auto [least, greatest] = windows.Extremes();
  report.Add({absl::StrCat(title, ": least coverage of 90 % in 2,000 rows"), least, 0, 0.86,
              Direction::kAtLeast, ""});
  report.Add({absl::StrCat(title, ": greatest coverage of 90 % in 2,000 rows"), greatest, 0, 0.94,
              Direction::kAtMost, ""});
}

void CheckValues(const std::string& name, const std::string& path, const std::string& likelihood,
                 Report& report) {
  const auto found = DataPath(path);
  if (!found) return report.Skip(name, absl::StrCat("PREQUEL_DATA_DIR has no ", path));
  const DataFile file = ReadDataFile(*found, "y", likelihood);
  const std::string of = likelihood.empty() ? "by default" : likelihood;
  for (const Index size : {1, 64}) {
    CheckIntervals(absl::StrCat(name, ", ", of), file.config, file.rows, size, report);
  }
}

// Labels that are drawn from the very probabilities that are served: what ECE says of so many rows
// when nothing is wrong.
class FairLabels {
 public:
  FairLabels() : tallies_(kDraws, Tally(TargetKind::kClasses)) {}

  void See(const ClassPredictive& served) {
    const Index rows = served.probabilities.cols();
    Vector u(rows);
    Matrix labels(1, rows);
    for (std::size_t d = 0; d < kDraws; ++d) {
      FillUniform(Stream{kSeed, seen_, static_cast<std::uint32_t>(d)}, u);
      for (Index i = 0; i < rows; ++i) labels(0, i) = u[i] < served.probabilities(1, i) ? 1 : 0;
      tallies_[d].Add(ClassOutcomes{served.probabilities, served.log_probabilities, labels});
    }
    ++seen_;
  }

  // Which the ECE of 19 draws in 20 does not exceed.
  double MostEce() const {
    std::vector<double> ece;
    for (const Tally& tally : tallies_) ece.push_back(tally.Average()["ece"]);
    return Quantile(std::move(ece), 0.95);
  }

 private:
  static constexpr std::size_t kDraws = 200;
  static constexpr std::uint64_t kSeed = 1000;

  std::vector<Tally> tallies_;
  std::uint64_t seen_ = 0;
};

// Of the rows after the first kWarm: at most `most`, or what right probabilities have of so few.
void CheckProbabilities(const std::string& name, const LearnerConfig& config, const Batch& rows,
                        double most, Report& report) {
  for (const Index size : {1, 64}) {
    Folding fold(config);
    fold.LearnAll(Slice(rows, 0, kWarm), size);
    Tally before = fold.state().evaluation.cumulative;
    FairLabels fair;
    ForEachMinibatch(Slice(rows, kWarm, rows.rows() - kWarm), size, [&](const Batch& batch) {
      fold.Learn(batch);
      fair.See(fold.predicted().Classes(false));
    });
    Tally after = fold.state().evaluation.cumulative;
    before.Scale(-1);
    after.Add(before);
    const double fair_ece = fair.MostEce();
    report.Add({absl::StrCat(name, ", ", size, " rows per minibatch: ECE after 1,000 rows"),
                after.Average()["ece"], 0, std::max(most, fair_ece), Direction::kAtMost,
                absl::StrFormat("%d rows; labels drawn from what is served: %.4f at the most, 19 "
                                "times in 20",
                                rows.rows() - kWarm, fair_ece)});
  }
}

void CheckLabels(const char* name, double most, Report& report) {
  const auto path = DataPath(absl::StrCat("streams/", name, ".csv"));
  if (!path) return report.Skip(name, "PREQUEL_DATA_DIR has no streams/");
  const DataFile file = ReadDataFile(*path, "y", "bernoulli");
  CheckProbabilities(name, file.config, file.rows, most, report);
}

// P(Y ≤ y) of values simulated from a linear model with weights of the prior.
void CheckPositions(Index size, Report& report) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Batch rows = MadeRows(StillWeights, false, seed);
    Folding fold(MadeConfig(false));
    std::vector<double> values;
    ForEachMinibatch(rows, size, [&](const Batch& batch) {
      const bool first = fold.state().revision == 0;
      fold.Learn(batch);
      if (first) return;  // nothing is known of the scale of the targets
      for (Index i = 0; i < batch.rows(); ++i) {
        values.push_back(fold.predicted().RawAt(0, i).Cdf(batch.targets(0, i)));
      }
    });
    report.Add({absl::StrCat("linear, ", size, " rows per minibatch, seed ", seed,
                             ": PIT's distance from uniform"),
                DistanceFromUniform(values), 0, 1.63, Direction::kAtMost,
                "1.63 is exceeded once in a hundred times"});
  }
}

}  // namespace

void MovingCalibration(Report& report) {
  report.Section("Calibration by default");
  report.Describe(
      "Intervals as they are served, on every set of more than 5,000 rows. Probabilities of "
      "classes by their expected calibration error. Right probabilities have one too, the larger "
      "the "
      "fewer the rows: where labels drawn from what is served exceed the bound more often than "
      "once "
      "in 20 times, what they exceed once in 20 times is the bound. And of data from the model "
      "itself, where targets lie in the predictive, by the statistic of Kolmogorov and Smirnov.");
  CheckValues("pollution_beijing", "streams/pollution_beijing.csv", "gaussian", report);
  CheckValues("pollution_beijing", "streams/pollution_beijing.csv", "", report);
  CheckValues("kin8nm", "uci/kin8nm.csv", "gaussian", report);
  CheckValues("naval", "uci/naval.csv", "gaussian", report);
  CheckValues("power_plant", "uci/power_plant.csv", "gaussian", report);
  for (const Index size : {1, 64}) {
    CheckIntervals("linear, still", MadeConfig(false), MadeRows(StillWeights, false, 1), size,
                   report);
    CheckIntervals("linear, weights switch", MadeConfig(false),
                   MadeRows(SwitchingWeights, false, 1), size, report);
  }
  CheckLabels("elec2", 0.015, report);
  CheckLabels("bananas", 0.02, report);
  CheckLabels("phishing", 0.02, report);
  CheckProbabilities("logistic, rotating", MadeConfig(true), MadeRows(RotatingWeights, true, 1),
                     0.02, report);
  CheckProbabilities("logistic, still", MadeConfig(true), MadeRows(StillWeights, true, 1), 0.02,
                     report);
  for (const Index size : {1, 64}) CheckPositions(size, report);
}

}  // namespace prequel::accept
