// Expectations over the logits, from narrow to very wide, and what streams make of them whose
// logits are wide before anything is learned.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/likelihoods/bernoulli.h"
#include "core/likelihoods/categorical.h"
#include "core/random/philox.h"
#include "tests/accept/defaults.h"
#include "tests/accept/folding.h"
#include "tests/accept/or_die.h"
#include "tests/core/sigmoid_on_grid.h"
#include "tests/core/softmax_on_grid.h"

namespace prequel::accept {
namespace {

struct SigmoidErrors {
  double probability = 0, curvature = 0, log_density = 0, log_probability = 0, entropy = 0;
};

void Raise(double& worst, double got, double want) {
  if (std::abs(want) >= 1e-6) worst = std::max(worst, std::abs(got / want - 1));
}

SigmoidErrors ErrorsOfBernoulli(double least, double most) {
  SigmoidErrors worst;
  for (double v = least; v <= most; v *= std::sqrt(10.0)) {
    for (double m = -30; m <= 30; m += 1.5) {
      const SigmoidOnGrid want = SigmoidGrid(m, std::sqrt(v));
      const LogitMoments moments{Matrix::Constant(1, 1, m), Matrix::Constant(1, 1, v)};
      ClassPredictive p;
      Bernoulli().Probabilities(moments, p);
      LocalExpansion e;
      Bernoulli().Expand(moments, Matrix::Ones(1, 1), {}, e);
      Raise(worst.probability, p.probabilities(1, 0), want.one);
      Raise(worst.probability, e.score(0, 0), want.zero);
      Raise(worst.curvature, e.root(0, 0) * e.root(0, 0), want.curvature);
      Raise(worst.log_density, -e.log_density, want.softplus);
      Raise(worst.log_probability, p.log_probabilities(1, 0), std::log(want.one));
      Raise(worst.entropy, p.expected_entropy[0], want.entropy);
    }
  }
  return worst;
}

void OfBernoulli(Report& report) {
  report.Section("Bernoulli's expectations against dense grids");
  report.Describe(
      "Means from -30 to 30 by 1.5; the greatest relative error where the value is "
      "1e-6 or more. Variances by factors of the root of 10.");
  for (const auto& [least, most] : {std::pair(1e-4, 4.0), std::pair(4.84, 1.1e4)}) {
    const SigmoidErrors e = ErrorsOfBernoulli(least, most);
    const std::string setting = absl::StrFormat("variance %g to %g", least, most);
    report.Add({"E sigma(f)", e.probability, 0, 1e-3, Direction::kAtMost, setting});
    report.Add({"E sigma'(f)", e.curvature, 0, 1e-3, Direction::kAtMost, setting});
    report.Add({"E log p", e.log_density, 0, 1e-3, Direction::kAtMost, setting});
    report.Add({"log E p", e.log_probability, 0, 1e-3, Direction::kAtMost, setting});
    report.Add({"aleatoric entropy", e.entropy, 0, 1e-3, Direction::kAtMost, setting});
  }
}

// Logits of a given deviation about random means: independent, or with half of the variance along
// one axis.
enum class Kind { kOwn, kShared };

struct Logits {
  LogitMoments moments;
  SoftmaxOnGrid exact;
};

Logits MakeLogits(Index classes, double deviation, Kind kind, std::uint64_t seed) {
  Matrix normals(classes, 2);
  FillNormal(Stream{seed, 0, 0}, normals);
  const Vector mean = 0.5 * deviation * normals.col(0);
  const double variance = deviation * deviation;
  if (kind == Kind::kOwn) {
    return {{mean, variance * Matrix::Identity(classes, classes)},
            IndependentSoftmax(mean, Vector::Constant(classes, variance))};
  }
  const Vector own = Vector::Constant(classes, 0.5 * variance);
  const Vector shared = std::sqrt(0.5) * deviation * normals.col(1);
  return {{mean, Matrix(own.asDiagonal()) + shared * shared.transpose()},
          CorrelatedSoftmax(mean, own, shared)};
}

struct SoftmaxErrors {
  double probability = 0, nll = 0, score = 0;
};

SoftmaxErrors ErrorsOfCategorical(Index classes, double deviation, Kind kind) {
  const ComponentConfig config{"categorical", {}};
  Options options("config.likelihood", config);
  Categorical likelihood;
  OrDie(likelihood.Configure(options, {.name = "y", .num_classes = static_cast<int>(classes)}));
  SoftmaxErrors worst;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Logits f = MakeLogits(classes, deviation, kind, seed);
    ClassPredictive p;
    likelihood.Probabilities(f.moments, p);
    const Vector exact = f.exact.probabilities;
    worst.probability =
        std::max(worst.probability, (p.probabilities - exact).cwiseAbs().maxCoeff());
    worst.nll = std::max(
        worst.nll,
        (exact.array() * (exact.array().log() - p.log_probabilities.col(0).array())).sum());
    for (Index label = 0; label < std::min<Index>(classes, 5); ++label) {
      LocalExpansion e;
      likelihood.Expand(f.moments, Matrix::Constant(1, 1, static_cast<double>(label)), {}, e);
      const Vector score = Vector::Unit(classes, label) - exact;
      worst.score = std::max(worst.score, (e.score - score).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

void OfCategorical(Report& report) {
  report.Section("Categorical's expectations against integrals on dense grids");
  report.Describe(
      "Logits of independent deviations, or with half of the variance along one axis "
      "(up to 26 classes); three random means each, as wide as half a deviation. NLL: "
      "its mean error over labels that are as likely as the exact probabilities say. "
      "Of the score, five labels.");
  for (const Index classes : {3, 10, 26, 100}) {
    for (const double deviation : {1.5, 2.0, 5.0, 20.0}) {
      for (const Kind kind : {Kind::kOwn, Kind::kShared}) {
        if (kind == Kind::kShared && classes > 26) continue;
        const SoftmaxErrors e = ErrorsOfCategorical(classes, deviation, kind);
        const std::string setting =
            absl::StrFormat("%d classes, deviation %g, %s", classes, deviation,
                            kind == Kind::kOwn ? "own" : "half shared");
        // At 2 and below the draws are 64, which this is not about. Beyond, those of more than
        // three classes are few, so that beliefs that drift are fast.
        const Direction bound = deviation > 2 ? Direction::kAtMost : Direction::kReported;
        const double score = classes > 3 ? 0.06 : deviation > 5 ? 0.015 : 0.01;
        report.Add({"probabilities", e.probability, 0, 0.015, bound, setting});
        report.Add({"NLL", e.nll, 0, 0.005, bound, setting});
        report.Add({"score", e.score, 0, score, bound, setting});
      }
    }
  }
}

// P(y = 1) = σ(w·x), x standard normal, w·x of deviation 3; prior N(0, I).
double StreamNll(Index inputs, const ComponentConfig& rule, std::uint64_t seed) {
  constexpr Index kRows = 2000;
  Batch rows;
  rows.inputs.resize(inputs, kRows);
  FillNormal(Stream{seed, 0, 1}, rows.inputs);
  Matrix weights(1, inputs), uniforms(1, kRows);
  FillNormal(Stream{seed, 0, 2}, weights);
  FillUniform(Stream{seed, 0, 3}, Eigen::Map<Vector>(uniforms.data(), kRows));
  weights *= 3 / weights.norm();
  const Eigen::ArrayXXd odds = (-(weights * rows.inputs).array()).exp();
  rows.targets = (uniforms.array() * (1 + odds) < 1).cast<double>();
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.target.name = "y";
  config.likelihood.name = "bernoulli";
  config.dynamics.name = "static";
  config.rule = rule;
  if (rule.name == "lofi") config.posterior.name = "low_rank";
  config.seed = seed;
  Folding folding(config);
  folding.LearnAll(rows, 64);
  return folding.scores()["nll"];
}

void OfStreams(Report& report) {
  report.Section("Logistic streams that begin with wide logits");
  report.Describe(
      "2,000 rows of D standard normal inputs in minibatches of 64, the true logit of deviation 3, "
      "prior variance 1: before anything is learned a logit has the variance D + 1. Mean "
      "prequential NLL; log 2 = 0.693 is what a coin scores. With 20 nodes placed by the normal at "
      "every width, lofi, rvga implicit and rvga explicit had 0.518, 0.440, 0.471 at D = 50; "
      "1.977, 0.600, 1.820 at 200; and 21.196, 0.748, 31.325 at 784.");
  struct Rule {
    std::string name;
    ComponentConfig config;
    double at_most[3];  // nats, at each number of inputs
  };
  const Rule rules[] = {
      {"lofi", {"lofi", {}}, {0.51, 0.8, 1.2}},
      {"rvga implicit", {"rvga", {}}, {0.45, 0.6, 0.72}},
      {"rvga explicit", {"rvga", {{"scheme", std::string("explicit")}}}, {0.47, 0.9, 4.5}}};
  const Index widths[] = {50, 200, 784};
  for (std::size_t i = 0; i < std::size(widths); ++i) {
    for (const Rule& rule : rules) {
      report.Add({rule.name + " NLL", StreamNll(widths[i], rule.config, 1), 0, rule.at_most[i],
                  Direction::kAtMost, absl::StrFormat("D = %d, seed 1", widths[i])});
    }
  }
}

}  // namespace

void DefaultsExpectations(Report& report) {
  OfBernoulli(report);
  OfCategorical(report);
  OfStreams(report);
}

}  // namespace prequel::accept
