// Noise that is learned beside the weights: what `rvga` comes to on linear-gaussian data, against
// the normal-inverse-gamma posterior of all rows at once.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/random/philox.h"
#include "tests/accept/data_file.h"
#include "tests/accept/defaults.h"
#include "tests/accept/folding.h"
#include "tests/core/belief_of.h"

namespace prequel::accept {
namespace {

constexpr Index kInputs = 12, kRows = 400, kQueries = 8;
constexpr double kShape = 1.5, kRate = 0.15;  // the defaults

Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint32_t lane) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, lane}, out);
  return out;
}

Batch Rows(Index count, std::uint64_t seed, std::uint32_t lane) {
  Batch rows;
  rows.inputs = Normals(kInputs, count, seed, lane);
  rows.targets =
      Normals(1, kInputs, seed, 2) * rows.inputs + 0.4 * Normals(1, count, seed, lane + 1);
  return rows;
}

// Divides all rows at random into minibatches of 1 to 60.
void LearnInSplits(const Batch& all, std::uint64_t seed, Folding& fold) {
  Vector u(kRows);
  FillUniform(Stream{seed, 0, 9}, u);
  for (Index first = 0, i = 0; first < kRows; ++i) {
    const Index size = std::min(kRows - first, 1 + static_cast<Index>(60 * u[i]));
    fold.Learn(Slice(all, first, size));
    first += size;
  }
}

// Λ̃ = I + XᵀX, m = Λ̃⁻¹ Xᵀy, α = α₀ + n/2, β = β₀ + ½ yᵀ(I + XXᵀ)⁻¹ y.
struct Exact {
  Vector mean;
  Matrix covariance;
  double shape, rate;

  explicit Exact(const Batch& all) {
    Matrix x(kRows, kInputs + 1);
    x << all.inputs.transpose(), Vector::Ones(kRows);
    const Vector y = all.targets.transpose();
    const Matrix identity = Matrix::Identity(kInputs + 1, kInputs + 1);
    const Eigen::LLT<Matrix> precision(identity + x.transpose() * x);
    covariance = precision.solve(identity);
    mean = precision.solve(x.transpose() * y);
    const Matrix marginal = Matrix::Identity(kRows, kRows) + x * x.transpose();
    shape = kShape + 0.5 * static_cast<double>(kRows);
    rate = kRate + 0.5 * y.dot(marginal.llt().solve(y));
  }
};

// Student's t of location m, scale s and ν degrees of freedom, by its density alone.
struct Reference {
  double location, scale, dof;

  double LogDensity(double y) const {
    const double z = (y - location) / scale;
    return std::lgamma((dof + 1) / 2) - std::lgamma(dof / 2) -
           0.5 * std::log(dof * std::numbers::pi) - std::log(scale) -
           (dof + 1) / 2 * std::log1p(z * z / dof);
  }
  // ½ + ∫ from the location to y, by Simpson's rule.
  double Cdf(double y) const {
    constexpr int kIntervals = 2000;
    const double h = (y - location) / kIntervals;
    double sum = 0;
    for (int i = 0; i <= kIntervals; ++i) {
      const double weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * std::exp(LogDensity(location + h * i));
    }
    return 0.5 + sum * h / 3;
  }
  // ∫ (F(z) − 1{z ≥ y})² dz over 40 scales to either side, with F summed on the way.
  double Crps(double y) const {
    double crps = 0;
    for (const double sign : {-1.0, 1.0}) {
      // Of the side before y: F², of that behind it: (1 − F)². Both are ∫ of a tail, squared.
      constexpr int kIntervals = 20000;
      const double end = location + sign * 40 * scale, h = (end - y) / kIntervals;
      const auto tail = [&](double z) { return sign < 0 ? Cdf(z) : 1 - Cdf(z); };
      double last = tail(y), at = y;
      double sum = last * last;
      for (int i = 1; i <= kIntervals; ++i) {
        const double next = y + h * i, middle = (at + next) / 2;
        last -= std::abs(h) / 6 *
                (std::exp(LogDensity(at)) + 4 * std::exp(LogDensity(middle)) +
                 std::exp(LogDensity(next)));
        at = next;
        sum += (i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2) * last * last;
      }
      crps += sum * std::abs(h) / 3;
    }
    return crps;
  }
};

struct Differences {
  double posterior = 0, noise = 0, quantiles = 0, epistemic = 0, nll = 0, crps = 0;
};

void Compare(const ComponentConfig& rule, std::uint64_t seed, Differences& worst) {
  const Batch all = Rows(kRows, seed, 20);
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.likelihood.name = "gaussian";
  config.dynamics.name = "static";
  config.rule = rule;
  config.prior = {"isotropic", {{"scale", std::string("given")}}};
  config.standardize_inputs = config.standardize_targets = Standardize::kNone;
  Folding fold(config);
  LearnInSplits(all, seed, fold);
  const Exact exact(all);
  const auto raise = [](double& most, double difference) { most = std::max(most, difference); };

  const Belief& belief = BeliefOf(fold.state());
  const auto& q = std::get<FullGaussian>(belief.posterior);
  const Matrix ours = q.covariance.selfadjointView<Eigen::Lower>();
  raise(worst.posterior, (q.mean - exact.mean).cwiseAbs().maxCoeff());
  raise(worst.posterior, (ours - exact.covariance).cwiseAbs().maxCoeff());
  raise(worst.noise, std::abs(belief.noise.shape[0] / exact.shape - 1));
  raise(worst.noise, std::abs(belief.noise.rate[0] / exact.rate - 1));

  const std::vector<double> levels = {0.025, 0.25, 0.5, 0.9};
  const Batch queries = Rows(kQueries, seed, 30);
  const Answer answer = fold.Predict(
      queries, {.raw = true, .queries = {{"moments", {}}, {"quantiles", {{"levels", levels}}}}});
  double nll = 0, crps = 0;
  for (Index i = 0; i < kQueries; ++i) {
    Vector row(kInputs + 1);
    row << queries.inputs.col(i), 1;
    const double spread = row.dot(exact.covariance * row);
    const Reference reference{row.dot(exact.mean),
                              std::sqrt(exact.rate / exact.shape * (1 + spread)), 2 * exact.shape};
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const double quantile = answer["quantiles"](static_cast<Index>(l), i);
      raise(worst.quantiles, std::abs(reference.Cdf(quantile) - levels[l]));
    }
    raise(worst.epistemic,
          std::abs(answer["epistemic_variance"](0, i) - exact.rate / (exact.shape - 1) * spread));
    nll -= reference.LogDensity(queries.targets(0, i)) / kQueries;
    crps += reference.Crps(queries.targets(0, i)) / kQueries;
  }
  const Scores scores = fold.Score(queries, kQueries).Average();
  raise(worst.nll, std::abs(scores["nll"] - nll));
  raise(worst.crps, std::abs(scores["crps"] - crps));
}

}  // namespace

void DefaultsNoise(Report& report) {
  report.Section(
      "Learned noise on linear-gaussian data: largest difference from the "
      "normal-inverse-gamma posterior");
  report.Describe(
      "400 rows of 12 inputs in random minibatches of 1 to 60, seeds 1 to 10, with a prior of a "
      "given scale, against the closed form of all rows at once; quantiles, NLL and CRPS of 8 rows "
      "more against Student's density integrated numerically.");
  const std::vector<std::pair<std::string, ComponentConfig>> rules = {
      {"by default", {}},
      {"explicit", {"rvga", {{"scheme", std::string("explicit")}}}},
      {"conjugate", {"conjugate", {}}}};
  for (const auto& [name, rule] : rules) {
    Differences worst;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) Compare(rule, seed, worst);
    const std::pair<const char*, double> rows[] = {{"mean and covariance", worst.posterior},
                                                   {"shape and rate, relative", worst.noise},
                                                   {"quantiles, in probability", worst.quantiles},
                                                   {"epistemic variance", worst.epistemic},
                                                   {"NLL", worst.nll},
                                                   {"CRPS", worst.crps}};
    for (const auto& [what, difference] : rows) {
      report.Add({name + ": " + what, difference, 0, 1e-9, Direction::kAtMost, "seeds 1-10"});
    }
  }
}

}  // namespace prequel::accept
