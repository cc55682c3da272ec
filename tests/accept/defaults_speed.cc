// How fast a model learns that somebody makes without naming a posterior or a rule, and what that
// costs in likelihood against the exact posterior.
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/learner/learner.h"
#include "tests/accept/defaults.h"
#include "tests/accept/folding.h"
#include "tests/accept/timing.h"
#include "tests/core/streams.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 64;              // of a minibatch
constexpr double kRowsPerSecond = 2000;  // on one core

struct Size {
  Index classes = 2, inputs = 0;
  std::string model = "linear";
  Index minibatches = 64;
  double nats = 0;  // at most so many worse than the full posterior; 0: not compared
};

// Two classes: a Bernoulli likelihood, as `prequel create --from-csv` infers it.
LearnerConfig ConfigOf(const Size& size) {
  LearnerConfig config = PlainConfig(size.inputs, size.classes == 2 ? "bernoulli" : "categorical");
  config.standardize_inputs = Standardize::kDefault;
  config.dynamics = {};
  if (size.classes > 2) config.target.num_classes = size.classes;
  config.model.name = size.model;
  return config;
}

// Of a softmax regression with logits of variance 4 on standard normal inputs.
Batch SoftmaxBatch(const Size& size, std::uint64_t step) {
  Batch batch;
  batch.inputs = Normals(size.inputs, kRows, 31, step);
  const double scale = 2 / std::sqrt(static_cast<double>(size.inputs));
  const Matrix logits = scale * Normals(size.classes, size.inputs, 32) * batch.inputs;
  Vector uniforms(kRows);
  FillUniform(Stream{33, step, 0}, uniforms);
  batch.targets.resize(1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    Vector p = (logits.col(i).array() - logits.col(i).maxCoeff()).exp();
    p /= p.sum();
    Index label = 0;
    for (double below = p[0]; label + 1 < size.classes && uniforms[i] >= below; below += p[label]) {
      ++label;
    }
    batch.targets(0, i) = static_cast<double>(label);
  }
  return batch;
}

double ThreadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Rows per second of the median minibatch, by the processor time of the thread; and the score.
struct Outcome {
  double rows_per_second = 0, nll = 0;
};
Outcome Learn(const LearnerConfig& config, const Size& size) {
  Folding fold(config);
  std::vector<double> seconds;
  for (Index t = 0; t < size.minibatches; ++t) {
    const Batch batch = SoftmaxBatch(size, static_cast<std::uint64_t>(t));
    const double start = ThreadSeconds();
    fold.Learn(batch);
    seconds.push_back(ThreadSeconds() - start);
  }
  return {static_cast<double>(kRows) / Quantile(seconds, 0.5), fold.scores()["nll"]};
}

void AddSize(const Size& size, Report& report) {
  const LearnerConfig config = ConfigOf(size);
  const Learner learner = *Learner::Create(config);
  const std::string name = absl::StrCat(size.model, ", ", size.classes, " classes, ", size.inputs,
                                        " inputs, ", learner.num_parameters(), " weights");
  const std::string chosen =
      absl::StrCat(learner.config().posterior.name, " with ", learner.config().rule.name, ", ",
                   size.minibatches, " minibatches of ", kRows);
  const Outcome usual = Learn(config, size);
  report.Add({absl::StrCat(name, ": rows/s"), usual.rows_per_second, 0, kRowsPerSecond,
              Direction::kAtLeast, chosen});
  if (size.nats == 0) return;
  LearnerConfig full = config;
  full.posterior.name = "full";
  full.rule.name = "rvga";
  const Outcome exact = Learn(full, size);
  report.Add({absl::StrCat(name, ": nats a row over full"), usual.nll - exact.nll, 0, size.nats,
              Direction::kAtMost,
              absl::StrFormat("%s; %.4f against %.4f of full with rvga at %.0f rows/s", chosen,
                              usual.nll, exact.nll, exact.rows_per_second)});
}

}  // namespace

void DefaultsSpeed(Report& report) {
  report.Section("Defaults: speed");
  report.Describe(
      "Posterior and rule as chosen when none is named, on minibatches of 64 rows of a simulated "
      "softmax regression: rows over the processor time of the median minibatch, prediction, "
      "scores and update; and the prequential NLL against the full posterior on the same rows.");
  for (const Size& size : std::vector<Size>{{2, 64, "linear", 256},
                                            {10, 16, "linear", 64, 0.01},
                                            {10, 64, "linear", 64},
                                            {26, 16, "linear", 64, 0.05},
                                            {40, 20, "linear", 128, 0.05},
                                            {40, 64, "linear", 64},
                                            {64, 64, "linear", 64},
                                            {2, 57, "mlp", 64, 0.01},
                                            {2, 30, "mlp", 64, 0.01},
                                            {10, 64, "mlp", 64},
                                            {26, 120, "mlp", 64},
                                            {2, 245, "mlp", 64}}) {
    AddSize(size, report);
  }
}

}  // namespace prequel::accept
