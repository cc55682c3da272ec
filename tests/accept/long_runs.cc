// Invariants over many steps: every posterior stays positive definite and finite.
#include <cmath>
#include <string>
#include <utility>

#include "core/learner/belief.h"
#include "core/random/philox.h"
#include "tests/accept/core.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

// A stream whose inputs wander over six orders of magnitude, some rows repeated exactly.
Batch HardBatch(const std::string& likelihood, std::uint64_t step) {
  constexpr Index kRows = 4;
  Batch batch;
  batch.inputs.resize(3, kRows);
  FillNormal(Stream{5, step, 0}, batch.inputs);
  batch.inputs *= std::pow(10.0, static_cast<double>(step % 7) - 3);
  if (step % 5 == 0) batch.inputs.col(1) = batch.inputs.col(0);
  Vector u(kRows);
  FillUniform(Stream{5, step, 1}, u);
  batch.targets.resize(1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    const double value = batch.inputs(0, i) > 0 ? 1 : 0;
    batch.targets(0, i) = likelihood == "gaussian" ? value + u[i] : u[i] < 0.9 ? value : 1 - value;
  }
  return batch;
}

// Steps survived with finite, positive definite posteriors.
double StepsSurvived(const std::string& model, const std::string& likelihood,
                     const std::string& posterior, double steps,
                     const std::string& dynamics = "static") {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 3}};
  config.likelihood.name = likelihood;
  config.dynamics.name = dynamics;
  if (likelihood == "categorical") config.target.num_classes = 2;
  config.model.name = model;
  if (model == "mlp") config.model.options["hidden"] = std::vector<double>{6};
  config.posterior.name = posterior;
  Folding fold(config);
  for (double t = 0; t < steps; ++t) {
    fold.Learn(HardBatch(likelihood, static_cast<std::uint64_t>(t)));
    for (const Belief& belief : fold.state().beliefs) {
      if (!std::visit([](const auto& q) { return q.IsFinite(); }, belief.posterior)) return t;
      if (std::fmod(t, 1000) != 0) continue;
      if (const auto* full = std::get_if<FullGaussian>(&belief.posterior)) {
        Matrix factor;
        if (!FactorCovariance(full->covariance, factor).ok()) return t;
      }
    }
  }
  return steps;
}

}  // namespace

void LongRuns(Report& report) {
  report.Section("Steps with a finite, positive definite posterior on a hard stream");
  for (const char* model : {"linear", "mlp"}) {
    for (const char* likelihood : {"gaussian", "bernoulli", "categorical", "poisson"}) {
      for (const char* posterior : {"full", "diagonal"}) {
        const std::string name = std::string(model) + ", " + likelihood + ", " + posterior;
        report.Add({name, StepsSurvived(model, likelihood, posterior, 1e5), 0, 1e5,
                    Direction::kAtLeast, "rvga with default options, minibatches of 4"});
      }
    }
  }
  report.Add({"linear, bernoulli, diagonal: a million updates",
              StepsSurvived("linear", "bernoulli", "diagonal", 1e6), 0, 1e6, Direction::kAtLeast,
              "rvga with default options, minibatches of 4"});
  for (const char* dynamics : {"inflation", "forgetting", "ou", "restart", "adaptive"}) {
    for (const auto& [likelihood, posterior] :
         {std::pair{"gaussian", "full"}, {"bernoulli", "diagonal"}, {"gaussian", "low_rank"}}) {
      const std::string name = std::string(dynamics) + ": linear, " + likelihood + ", " + posterior;
      report.Add({name, StepsSurvived("linear", likelihood, posterior, 1e6, dynamics), 0, 1e6,
                  Direction::kAtLeast, "default options, minibatches of 4"});
    }
  }
}

}  // namespace prequel::accept
