// What default dynamics cost beside static ones.
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/moving.h"
#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 64;  // of a minibatch

double ThreadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

LearnerConfig ConfigOf(Index inputs, const std::string& likelihood, Index hidden,
                       const char* dynamics) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood.name = likelihood;
  if (hidden > 0) {
    config.model = {"mlp", {{"hidden", std::vector<double>{static_cast<double>(hidden)}}}};
  }
  config.dynamics.name = dynamics;
  return config;
}

Batch BatchAt(Index inputs, const std::string& likelihood, Index rows, std::uint64_t step) {
  Batch batch;
  batch.inputs.resize(inputs, rows);
  FillNormal(Stream{31, step, 0}, batch.inputs);
  Matrix noise(1, rows);
  FillNormal(Stream{31, step, 1}, noise);
  batch.targets = batch.inputs.topRows(1) + noise;
  if (likelihood == "bernoulli") {
    for (double& y : batch.targets.reshaped()) y = y > 0 ? 1 : 0;
  }
  if (likelihood == "negative_binomial") {
    for (double& y : batch.targets.reshaped()) y = std::floor(std::exp(3 + 0.5 * y));
  }
  return batch;
}

// Of the median minibatch.
double SecondsOf(const LearnerConfig& config, Index inputs) {
  Folding fold(config);
  std::vector<double> seconds;
  for (std::uint64_t t = 0; t < 60; ++t) {
    const Batch batch = BatchAt(inputs, config.likelihood.name, kRows, t);
    const double start = ThreadSeconds();
    fold.Learn(batch);
    seconds.push_back(ThreadSeconds() - start);
  }
  return Quantile(seconds, 0.5);
}

void AddRatio(Index inputs, const std::string& likelihood, Index hidden, double most,
              Report& report) {
  const double still = SecondsOf(ConfigOf(inputs, likelihood, hidden, "static"), inputs);
  const double moving = SecondsOf(ConfigOf(inputs, likelihood, hidden, "adaptive"), inputs);
  const std::string model = hidden > 0 ? absl::StrCat("network of ", hidden, " units") : "linear";
  report.Add({absl::StrCat(model, ", ", likelihood, ", ", inputs, " inputs"), moving / still, 0,
              most, Direction::kAtMost,
              absl::StrCat("minibatches of ", kRows, ", adaptive ", 1e6 * moving / kRows,
                           " us a row, static ", 1e6 * still / kRows)});
}

}  // namespace

void MovingCost(Report& report) {
  report.Section("Processor time of adaptive over that of static");
  for (const char* likelihood : {"gaussian", "bernoulli", "negative_binomial"}) {
    for (const Index inputs : {Index{9}, Index{99}, Index{499}}) {
      AddRatio(inputs, likelihood, 0, 8, report);
    }
  }
  AddRatio(2, "bernoulli", 32, 6.5, report);  // four beliefs, of which two drift
}

}  // namespace prequel::accept
