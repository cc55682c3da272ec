// Full-batch logistic regression on a1a to convergence, against published figures and the
// reference posterior (math: §8.A).
#include <cmath>
#include <string>

#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/reference_file.h"
#include "tests/core/belief_of.h"

namespace prequel::accept {
namespace {

constexpr double kPrecision = 2.8072;
constexpr double kBiasPrecision = 1e-5;

}  // namespace

void A1aReference(Report& report) {
  report.Section("a1a, full R-VGA iterated to convergence on one minibatch of all rows");
  const auto train_path = DataPath("logistic/a1a_train.csv.gz");
  const auto test_path = DataPath("logistic/a1a_test.csv.gz");
  if (!train_path || !test_path) return report.Skip("a1a", "PREQUEL_DATA_DIR has no logistic/");
  const DataFile train = ReadDataFile(*train_path, "y", "bernoulli");
  const DataFile test = ReadDataFile(*test_path, "y", "bernoulli");

  LearnerConfig config;
  config.features = {{.name = "x", .width = train.rows.inputs.rows()}};
  config.likelihood.name = "bernoulli";
  config.dynamics.name = "static";
  config.prior.options = {{"precision", kPrecision}, {"bias_precision", kBiasPrecision}};
  config.rule = {"rvga", {{"passes", 200.0}, {"tolerance", 1e-12}}};
  config.standardize_inputs = Standardize::kNone;
  Folding fold(config);
  const Learned learned = fold.Learn(train.rows);
  const auto rows = static_cast<double>(train.rows.rows());

  // The reference leaves the log of the bias precision out of the KL.
  const double elbo = learned.report.local_elbo + 0.5 * std::log(1 / kBiasPrecision);
  const std::string setting = "1605 rows, " + std::to_string(learned.report.passes) + " passes";
  report.Add({"|-ELBO/N - 0.3677|", std::abs(-elbo / rows - 0.3677), 0, 0.0003, Direction::kAtMost,
              setting + ", -ELBO/N " + std::to_string(-elbo / rows)});

  const Matrix predicted = fold.Predict(test.rows)["probabilities"];
  double nll = 0;
  for (Index i = 0; i < test.rows.rows(); ++i) {
    nll -= std::log(predicted(static_cast<Index>(test.rows.targets(0, i)), i)) /
           static_cast<double>(test.rows.rows());
  }
  report.Add({"|test NLL - 0.3385|", std::abs(nll - 0.3385), 0, 0.0002, Direction::kAtMost,
              "30956 rows, NLL " + std::to_string(nll)});

  const auto& q = std::get<FullGaussian>(BeliefOf(fold.state()).posterior);
  const Index size = q.size();
  const Matrix mean =
      BiasLast(ReadNumbers(*DataPath("logistic/a1a_reference/exact_mean.csv"), size, 1));
  const Matrix covariance = BiasLast(
      BiasLast(ReadNumbers(*DataPath("logistic/a1a_reference/exact_covariance.csv.gz"), size, size))
          .transpose());
  report.Add({"largest difference from the reference mean", (q.mean - mean).cwiseAbs().maxCoeff(),
              0, 0.02, Direction::kAtMost,
              "124 coordinates, largest |mean| " + std::to_string(mean.cwiseAbs().maxCoeff())});
  const Matrix ours = q.covariance.selfadjointView<Eigen::Lower>();
  // The bias has next to no prior, so the ELBO hardly says where its variance ends: the reference
  // iteration stopped at 1.372, the stationary point has 1.283.
  const Index weights = size - 1;
  const Matrix difference = (ours - covariance).topLeftCorner(weights, weights);
  report.Add({"relative difference from the reference covariance",
              difference.norm() / covariance.topLeftCorner(weights, weights).norm(), 0, 0.02,
              Direction::kAtMost, "Frobenius norm over the weights, the bias left out"});
}

}  // namespace prequel::accept
