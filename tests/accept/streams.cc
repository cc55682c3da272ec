// Real streams, one pass, predict then learn; settings are the defaults but for what is named.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

constexpr double kWeakPrior = 0.3;  // precision of linear models on binary streams

ComponentConfig Mlp(double width) { return {"mlp", {{"hidden", std::vector<double>{width}}}}; }

std::vector<std::vector<Index>> ReadSplits(const std::string& path) {
  std::vector<std::vector<Index>> splits;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream numbers(line);
    std::vector<Index> rows;
    for (Index row; numbers >> row;) rows.push_back(row);
    if (!rows.empty()) splits.push_back(rows);
  }
  return splits;
}

// One pass over the training rows of each split in a shuffled order, then the test RMSE.
void Kin8nm(Report& report) {
  const auto path = DataPath("uci/kin8nm.csv");
  const auto splits_path = DataPath("uci/kin8nm.test_rows.txt");
  if (!path || !splits_path) return report.Skip("kin8nm", "PREQUEL_DATA_DIR has no uci/");
  DataFile file = ReadDataFile(*path, "y", "gaussian");
  file.config.model = Mlp(50);
  file.config.prior.options["layer_scale"] = std::string("fan_in");
  std::vector<double> rmse;
  std::uint64_t split = 0;
  for (const std::vector<Index>& test_rows : ReadSplits(*splits_path)) {
    std::vector<bool> is_test(static_cast<std::size_t>(file.rows.rows()), false);
    for (const Index row : test_rows) is_test[static_cast<std::size_t>(row)] = true;
    std::vector<Index> train_rows;
    for (const Index row : Shuffled(file.rows.rows(), split)) {
      if (!is_test[static_cast<std::size_t>(row)]) train_rows.push_back(row);
    }
    file.config.seed = split++;
    Folding fold(file.config);
    fold.LearnAll(Pick(file.rows, train_rows), 64, Slice);
    const Batch test = Pick(file.rows, test_rows);
    const Matrix error = fold.Predict(test).mean - test.targets;
    rmse.push_back(std::sqrt(error.squaredNorm() / static_cast<double>(test.rows())));
  }
  const Mean mean = MeanOf(rmse);
  report.Add({"kin8nm test RMSE after one pass", mean.value, mean.stderr_, 0.0838,
              Direction::kAtMost,
              "20 given splits, mlp-50, rvga full, prior scaled by fan-in, batches of 64"});
}

void Phishing(Report& report) {
  const auto path = DataPath("streams/phishing.csv");
  if (!path) return report.Skip("phishing", "PREQUEL_DATA_DIR has no streams/");
  DataFile file = ReadDataFile(*path, "y", "bernoulli");
  file.config.prior.options["precision"] = kWeakPrior;
  Folding fold(file.config);
  fold.LearnAll(file.rows, 5, Slice);
  const Scores scores = fold.scores();
  const std::string setting =
      "1250 rows in order, linear, rvga full, prior precision 0.3, batches of 5";
  report.Add(
      {"phishing prequential accuracy", *scores.accuracy, 0, 0.896, Direction::kAtLeast, setting});
  report.Add({"phishing prequential NLL", scores.nll, 0, 0.263, Direction::kAtMost, setting});
}

void Elec2(Report& report) {
  const auto path = DataPath("streams/elec2.csv");
  if (!path) return report.Skip("elec2", "PREQUEL_DATA_DIR has no streams/");
  DataFile file = ReadDataFile(*path, "y", "bernoulli");
  file.config.prior.options["precision"] = kWeakPrior;
  Folding fold(file.config);
  fold.LearnAll(file.rows, 1, Slice);
  report.Add({"elec2 static prequential NLL", fold.scores().nll, 0, 0.497, Direction::kAtMost,
              "45312 rows in order, linear, rvga full, prior precision 0.3, batches of 1"});
}

void Pollution(Report& report) {
  const auto path = DataPath("streams/pollution_beijing.csv");
  if (!path) return report.Skip("pollution_beijing", "PREQUEL_DATA_DIR has no streams/");
  DataFile file = ReadDataFile(*path, "y", "gaussian");
  file.config.model = Mlp(8);
  Folding fold(file.config);
  Index missing = 0;
  for (Index i = 0; i < file.rows.rows(); ++i) missing += std::isnan(file.rows.targets(0, i));
  fold.LearnAll(file.rows, 24, Slice);
  const Scores scores = fold.scores();
  const std::string setting = "43824 hourly rows in order, mlp-8, rvga full, batches of 24, rmse " +
                              std::to_string(*scores.rmse);
  report.Add(
      {"pollution_beijing skipped rows, of those without a target",
       static_cast<double>(fold.state().evaluation.skipped_rows) / static_cast<double>(missing), 0,
       1, Direction::kAtLeast, std::to_string(missing) + " without a target"});
  // A Gaussian with the mean and variance of all targets would score 5.94.
  report.Add(
      {"pollution_beijing prequential NLL", scores.nll, 0, 5.9, Direction::kAtMost, setting});
  report.Add({"pollution_beijing |90 % coverage - 90|, points",
              std::abs(100 * *scores.coverage90 - 90), 0, 2, Direction::kAtMost,
              setting + ", coverage " + std::to_string(100 * *scores.coverage90)});
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
  fold.LearnAll(train.rows, 32, Slice);

  const Predictions predicted = fold.Predict(test.rows);
  Tally tally;
  for (Index i = 0; i < test.rows.rows(); ++i) {
    const auto label = static_cast<Index>(test.rows.targets(0, i));
    AddClassified(predicted.probabilities.col(i), label,
                  std::log(predicted.probabilities(label, i)), tally);
  }
  const Scores scores = tally.Average(true);
  const std::string setting =
      "3823 training rows in one pass, 1797 test rows, linear, rvga full, "
      "batches of 32, NLL " +
      std::to_string(scores.nll);
  report.Add({"optdigits test accuracy after one pass", *scores.accuracy, 0, 0.93,
              Direction::kAtLeast, setting});
  report.Add({"optdigits test ECE", *scores.ece, 0, 0.03, Direction::kAtMost, setting});
}

}  // namespace

void Streams(Report& report) {
  report.Section("Real streams, one pass");
  Phishing(report);
  Elec2(report);
  Optdigits(report);
  Pollution(report);
  Kin8nm(report);
}

}  // namespace prequel::accept
