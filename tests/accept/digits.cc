#include "tests/accept/digits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/scores/scoring.h"
#include "tests/accept/reference_file.h"

namespace prequel::accept {
namespace {

// Rows of `table`: pixels from column `first` on, between `black` and `white`, and the digit last.
Batch Images(const Matrix& table, Index first, double black, double white) {
  const Index pixels = table.cols() - first - 1;
  Batch rows;
  rows.inputs = (table.middleCols(first, pixels).transpose().array() - black) / (white - black);
  rows.targets = table.rightCols(1).transpose();
  return rows;
}

}  // namespace

std::optional<DigitSet> Usps() {
  const auto path = DataPath("multiclass/usps.csv.gz");
  if (!path) return std::nullopt;
  const Matrix table = ReadNumbers(*path, 9298, 1 + 256 + 1);
  const Batch all = Images(table, 1, -1, 1);
  std::vector<Index> train, test;
  for (Index i = 0; i < table.rows(); ++i) (table(i, 0) == 0 ? train : test).push_back(i);
  return DigitSet{"usps", 16, Pick(all, train), Pick(all, test)};
}

std::optional<DigitSet> Optdigits() {
  const auto train = DataPath("multiclass/optdigits_train.csv");
  const auto test = DataPath("multiclass/optdigits_test.csv");
  if (!train || !test) return std::nullopt;
  return DigitSet{"optdigits", 8, Images(ReadNumbers(*train, 3823, 65), 0, 0, 16),
                  Images(ReadNumbers(*test, 1797, 65), 0, 0, 16)};
}

std::optional<DigitSet> Mnist() {
  constexpr Index kTrain = 8000;
  const auto path = DataPath("multiclass/mnist_t10k.csv.gz");
  if (!path) return std::nullopt;
  const Batch all = Images(ReadNumbers(*path, 10'000, 785), 0, 0, 255);
  const std::vector<Index> order = Shuffled(all.rows(), 0);
  return DigitSet{"mnist_t10k", 28, Pick(all, {order.begin(), order.begin() + kTrain}),
                  Pick(all, {order.begin() + kTrain, order.end()})};
}

Batch Turned(Batch rows, Index side) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const Matrix image = rows.inputs.col(i).reshaped(side, side).transpose().rowwise().reverse();
    rows.inputs.col(i) = image.reshaped();
  }
  return rows;
}

LearnerConfig DigitNetwork(Index side, double hidden) {
  LearnerConfig config;
  config.features = {{.name = "pixels", .width = side * side}};
  config.target.num_classes = kDigits;
  config.likelihood.name = "categorical";
  config.dynamics.name = "static";
  config.model = {"mlp",
                  {{"hidden", std::vector<double>{hidden}}, {"activation", std::string("relu")}}};
  config.prior.options["layer_scale"] = std::string("none");
  config.standardize_inputs = Standardize::kNone;
  return config;
}

Answers Ask(Folding& fold, const Batch& rows) {
  const Answer predicted = fold.Predict(rows, {.samples = 32});
  const Matrix& probabilities = predicted["probabilities"];
  Tally tally(TargetKind::kClasses);
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto digit = static_cast<Index>(rows.targets(0, i));
    const double p = probabilities(digit, i);
    AddClassified(probabilities.col(i), digit,
                  std::log(std::max(p, std::numeric_limits<double>::min())), tally);
  }
  return {tally.Average(), predicted["entropy"].row(0).transpose()};
}

double Auroc(const Vector& high, const Vector& low) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : high) all.emplace_back(value, true);
  for (const double value : low) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double above = 0, seen = 0;  // pairs won; values of `low` so far
  for (std::size_t i = 0; i < all.size();) {
    double equal_high = 0, equal_low = 0;
    const double value = all[i].first;
    for (; i < all.size() && all[i].first == value; ++i) ++(all[i].second ? equal_high : equal_low);
    above += equal_high * (seen + equal_low / 2);
    seen += equal_low;
  }
  return above / (static_cast<double>(high.size()) * static_cast<double>(low.size()));
}

}  // namespace prequel::accept
