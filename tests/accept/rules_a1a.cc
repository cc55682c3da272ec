// SLANG on a1a, full batch, against the published figure and its reference posterior (math: §8.A).
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/accept/data_file.h"
#include "tests/accept/logistic.h"
#include "tests/accept/reference_file.h"
#include "tests/accept/rules.h"
#include "tests/core/belief_of.h"

namespace prequel::accept {
namespace {

constexpr int kSteps = 10000;
constexpr std::uint64_t kSeeds = 5;

struct Figures {
  std::vector<double> elbo, nll, covariance;
};

void AddRun(const LogisticData& train, const LogisticData& test, const Matrix& reference,
            double rank, std::uint64_t seed, Figures& figures) {
  LearnerConfig config =
      LogisticConfig(train, train.rows, {"low_rank", {{"rank", rank}}}, {"slang", {}});
  config.seed = seed;
  Folding fold(config);
  for (int t = 0; t < kSteps; ++t) fold.Learn(train.rows);
  const auto& q = std::get<LowRankGaussian>(BeliefOf(fold.state()).posterior);
  figures.elbo.push_back(
      NegativeElbo(train, *Problem::Make(config), train.rows, BeliefOf(fold.state()).posterior));
  figures.nll.push_back(TestNll(fold, test.rows));
  const Matrix precision = q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
  const Matrix covariance =
      precision.llt().solve(Matrix::Identity(precision.rows(), precision.cols()));
  const Index weights = precision.rows() - 1;  // as in accept core: the bias left out
  figures.covariance.push_back((covariance - reference).topLeftCorner(weights, weights).norm() /
                               reference.topLeftCorner(weights, weights).norm());
}

void AddRank(const LogisticData& train, const LogisticData& test, int rank, Report& report) {
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
  const auto train = A1aTrain(), test = A1aTest();
  if (!train || !test) return report.Skip("a1a", "PREQUEL_DATA_DIR has no logistic/");
  for (const int rank : {1, 10}) AddRank(*train, *test, rank, report);
}

}  // namespace prequel::accept
