// SLANG on a1a, full batch, against the published figure and its reference posterior (math: §8.A).
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/problem.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/reference_file.h"
#include "tests/accept/rules.h"

namespace prequel::accept {
namespace {

constexpr double kPrecision = 2.8072;
constexpr double kBiasPrecision = 1e-5;
constexpr int kSteps = 10000;
constexpr std::uint64_t kSeeds = 5;

LearnerConfig ConfigOf(const DataFile& train, double rank, std::uint64_t seed) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = train.rows.inputs.rows()}};
  config.likelihood.name = "bernoulli";
  config.prior.options = {{"precision", kPrecision}, {"bias_precision", kBiasPrecision}};
  config.posterior = {"low_rank", {{"rank", rank}}};
  config.rule = {"slang", {{"dataset_size", static_cast<double>(train.rows.rows())}}};
  config.standardize_inputs = Standardize::kNone;
  config.seed = seed;
  return config;
}

// −ELBO of q in nats, by quadrature in the logit, which is exact for a linear model. The published
// figures leave the log of the bias precision out of the divergence.
double NegativeElbo(const Problem& problem, const Batch& rows, const LowRankGaussian& q) {
  const NoiseLevel noise;
  Expansion expansion;
  expansion.Bind(problem.model, problem.likelihood, rows.inputs, rows.targets, noise);
  LocalLowRank projector;
  if (!projector.Begin(q).ok()) std::abort();
  expansion.Linearize(q.mean);
  projector.Project(expansion);
  const double divergence =
      q.Kl(std::get<LowRankGaussian>(problem.initial)) - 0.5 * std::log(1 / kBiasPrecision);
  return divergence - expansion.Expect(Expectation::kLinearized);
}

struct Figures {
  std::vector<double> elbo, nll, covariance;
};

void AddRun(const DataFile& train, const DataFile& test, const Matrix& reference, double rank,
            std::uint64_t seed, Figures& figures) {
  const LearnerConfig config = ConfigOf(train, rank, seed);
  Folding fold(config);
  for (int t = 0; t < kSteps; ++t) fold.Learn(train.rows);
  const auto& q = std::get<LowRankGaussian>(fold.state().posterior);
  const Problem problem = *Problem::Make(config);
  figures.elbo.push_back(NegativeElbo(problem, train.rows, q) /
                         static_cast<double>(train.rows.rows()));
  const Predictions predicted = fold.Predict(test.rows);
  double nll = 0;
  for (Index i = 0; i < test.rows.rows(); ++i) {
    nll -= std::log(predicted.probabilities(static_cast<Index>(test.rows.targets(0, i)), i)) /
           static_cast<double>(test.rows.rows());
  }
  figures.nll.push_back(nll);
  const Matrix precision = q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
  const Matrix covariance =
      precision.llt().solve(Matrix::Identity(precision.rows(), precision.cols()));
  const Index weights = precision.rows() - 1;  // as in accept core: the bias left out
  figures.covariance.push_back((covariance - reference).topLeftCorner(weights, weights).norm() /
                               reference.topLeftCorner(weights, weights).norm());
}

void AddRank(const DataFile& train, const DataFile& test, int rank, Report& report) {
  const Index size = train.rows.inputs.rows() + 1;
  const std::string path =
      absl::StrFormat("logistic/a1a_reference/slang_l%d_covariance.csv.gz", rank);
  const Matrix reference = BiasLast(BiasLast(ReadNumbers(*DataPath(path), size, size)).transpose());
  Figures figures;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    AddRun(train, test, reference, rank, seed, figures);
  }
  const std::string setting =
      absl::StrFormat("rank %d, %d full-batch steps, default options, seeds 1-%d", rank, kSteps,
                      static_cast<int>(kSeeds));
  const std::string name = absl::StrFormat("slang-%d ", rank);
  const Mean elbo = MeanOf(figures.elbo), nll = MeanOf(figures.nll);
  const Mean covariance = MeanOf(figures.covariance);
  report.Add({name + "-ELBO/N", elbo.value, elbo.stderr_, 0.3770, Direction::kAtMost, setting});
  report.Add({name + "test NLL", nll.value, nll.stderr_, 0.3395, Direction::kAtMost, setting});
  report.Add({name + "relative difference from the reference covariance", covariance.value,
              covariance.stderr_, 0.15, Direction::kAtMost, "Frobenius norm over the weights"});
}

}  // namespace

void SlangA1a(Report& report) {
  report.Section("a1a, SLANG, full batch");
  const auto train_path = DataPath("logistic/a1a_train.csv.gz");
  const auto test_path = DataPath("logistic/a1a_test.csv.gz");
  if (!train_path || !test_path) return report.Skip("a1a", "PREQUEL_DATA_DIR has no logistic/");
  const DataFile train = ReadDataFile(*train_path, "y", "bernoulli");
  const DataFile test = ReadDataFile(*test_path, "y", "bernoulli");
  for (const int rank : {1, 10}) AddRank(train, test, rank, report);
}

}  // namespace prequel::accept
