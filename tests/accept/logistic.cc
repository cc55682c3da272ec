#include "tests/accept/logistic.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "tests/accept/reference_file.h"

namespace prequel::accept {
namespace {

std::optional<LogisticData> FromFile(const std::string& name, const std::string& file,
                                     double precision) {
  const auto path = DataPath(file);
  if (!path) return std::nullopt;
  return LogisticData{
      .name = name, .rows = ReadDataFile(*path, "y", "bernoulli").rows, .precision = precision};
}

}  // namespace

std::optional<LogisticData> A1aTrain() {
  return FromFile("a1a", "logistic/a1a_train.csv.gz", 2.8072);
}
std::optional<LogisticData> A1aTest() {
  return FromFile("a1a", "logistic/a1a_test.csv.gz", 2.8072);
}

std::optional<LogisticData> BreastCancer() {
  return FromFile("breast_cancer", "logistic/breast_cancer_scale.csv", 1);
}

std::optional<LogisticData> Australian() {
  return FromFile("australian", "logistic/australian_scale.csv", 1e-5);
}

// Column 0 says which rows are the usual test set, the last one the digit.
std::optional<LogisticData> Usps3v5() {
  constexpr Index kRows = 9298, kPixels = 256;
  const auto path = DataPath("multiclass/usps.csv.gz");
  if (!path) return std::nullopt;
  const Matrix table = ReadNumbers(*path, kRows, kPixels + 2);
  std::vector<Index> chosen;
  for (Index i = 0; i < kRows; ++i) {
    const double digit = table(i, kPixels + 1);
    if (digit == 3 || digit == 5) chosen.push_back(i);
  }
  LogisticData data{.name = "usps 3 v 5", .precision = 25};
  const auto count = static_cast<Index>(chosen.size());
  data.rows.inputs.resize(kPixels, count);
  data.rows.targets.resize(1, count);
  for (Index i = 0; i < count; ++i) {
    const Index row = chosen[static_cast<std::size_t>(i)];
    data.rows.inputs.col(i) = table.row(row).segment(1, kPixels).transpose();
    data.rows.targets(0, i) = table(row, kPixels + 1) == 5 ? 1 : 0;
  }
  return data;
}

Division SplitInHalves(const Batch& rows, std::uint64_t seed) {
  std::vector<Index> order = Shuffled(rows.rows(), seed);
  const auto middle = order.begin() + rows.rows() / 2;
  return {Pick(rows, {order.begin(), middle}), Pick(rows, {middle, order.end()})};
}

LearnerConfig LogisticConfig(const LogisticData& data, const Batch& rows, ComponentConfig posterior,
                             ComponentConfig rule) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = rows.inputs.rows()}};
  config.likelihood.name = "bernoulli";
  config.dynamics.name = "static";
  config.prior.options = {{"precision", data.precision}, {"bias_precision", data.bias_precision}};
  config.posterior = std::move(posterior);
  config.rule = std::move(rule);
  config.rule.options["mode"] = std::string("dataset");
  config.rule.options["dataset_size"] = static_cast<double>(rows.rows());
  config.standardize_inputs = Standardize::kNone;
  return config;
}

double NegativeElbo(const LogisticData& data, const Problem& problem, const Batch& rows,
                    const Posterior& posterior) {
  return std::visit(
      [&]<class Q>(const Q& q) {
        typename Q::Divergence divergence;
        const std::optional<double> kl = divergence.Kl(q, std::get<Q>(problem.prototype()));
        if (!kl.has_value()) return std::nan("");
        const NoiseLevel noise;
        Expansion expansion;
        expansion.Bind(problem.model, problem.likelihood, rows.inputs, rows.targets, noise);
        typename Q::Projector projector;
        if (!projector.Begin(q).ok()) return std::nan("");
        expansion.Linearize(q.mean);
        projector.Project(expansion);
        return (*kl + 0.5 * std::log(data.bias_precision) -
                expansion.Expect(Expectation::kLinearized)) /
               static_cast<double>(rows.rows());
      },
      posterior);
}

double TestNll(Folding& fold, const Batch& rows) {
  const Matrix predicted = fold.Predict(rows)["probabilities"];
  double nll = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    nll -= std::log(predicted(static_cast<Index>(rows.targets(0, i)), i));
  }
  return nll / static_cast<double>(rows.rows());
}

}  // namespace prequel::accept
