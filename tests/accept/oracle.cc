// Linear-gaussian streams, where every scheme must equal the batch conjugate posterior.
#include <cmath>
#include <string>
#include <vector>

#include "core/random/philox.h"
#include "tests/accept/core.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/core/belief_of.h"

namespace prequel::accept {
namespace {

constexpr Index kInputs = 12;
constexpr Index kRows = 400;
constexpr double kNoise = 0.3;
constexpr double kPrecision = 1.7;

Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint32_t lane) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, lane}, out);
  return out;
}

// Sizes of a random division of kRows rows into minibatches of 1 to 60.
std::vector<Index> RandomSplit(std::uint64_t seed) {
  Vector u(kRows);
  FillUniform(Stream{seed, 0, 9}, u);
  std::vector<Index> sizes;
  for (Index left = kRows, i = 0; left > 0; ++i) {
    const Index size = std::min(left, 1 + static_cast<Index>(60 * u[i]));
    sizes.push_back(size);
    left -= size;
  }
  return sizes;
}

// Largest difference of mean and covariance from the closed form, after folding the splits.
double Difference(const ComponentConfig& rule, std::uint64_t seed) {
  Batch all;
  all.inputs = Normals(kInputs, kRows, seed, 1);
  all.targets =
      Normals(1, kInputs, seed, 2) * all.inputs + std::sqrt(kNoise) * Normals(1, kRows, seed, 3);
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.likelihood = {"gaussian", {{"noise", kNoise}}};
  config.dynamics.name = "static";
  config.prior.options["precision"] = kPrecision;
  config.rule = rule;
  config.standardize_inputs = Standardize::kNone;
  Folding fold(config);
  Index first = 0;
  for (const Index size : RandomSplit(seed)) {
    fold.Learn(Slice(all, first, size));
    first += size;
  }
  Matrix x(kRows, kInputs + 1);
  x << all.inputs.transpose(), Vector::Ones(kRows);
  const Matrix identity = Matrix::Identity(kInputs + 1, kInputs + 1);
  const Eigen::LLT<Matrix> precision(kPrecision * identity + x.transpose() * x / kNoise);
  const Matrix covariance = precision.solve(identity);
  const Vector mean = precision.solve(x.transpose() * all.targets.transpose() / kNoise);
  const auto& q = std::get<FullGaussian>(BeliefOf(fold.state()).posterior);
  const Matrix ours = q.covariance.selfadjointView<Eigen::Lower>();
  return std::max((q.mean - mean).cwiseAbs().maxCoeff(), (ours - covariance).cwiseAbs().maxCoeff());
}

}  // namespace

void ConjugateOracle(Report& report) {
  report.Section("Linear-gaussian: largest difference from the batch conjugate posterior");
  const std::vector<std::pair<std::string, ComponentConfig>> rules = {
      {"conjugate", {"conjugate", {}}},
      {"explicit", {"rvga", {{"scheme", std::string("explicit")}}}},
      {"implicit", {"rvga", {{"passes", 20.0}, {"tolerance", 1e-13}}}},
      {"iterated Kalman filter",
       {"rvga", {{"expectation", std::string("mean")}, {"passes", 20.0}, {"tolerance", 1e-13}}}}};
  for (const auto& [name, rule] : rules) {
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      worst = std::max(worst, Difference(rule, seed));
    }
    report.Add({name, worst, 0, 1e-9, Direction::kAtMost,
                "seeds 1-20, 400 rows in random minibatches of 1-60, 13 parameters"});
  }
}

}  // namespace prequel::accept
