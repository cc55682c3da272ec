// What default dynamics cost beside static ones.
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

struct Cost {
  double seconds = 0;  // of the median minibatch
  double bytes = 0;    // of the state after all of them
};

double SecondsToLearn(Folding& fold, const Batch& batch) {
  const double start = ThreadSeconds();
  fold.Learn(batch);
  return ThreadSeconds() - start;
}

// Of both, which take turns, so that what else the machine does meets both.
std::pair<Cost, Cost> CostOf(const LearnerConfig& still, const LearnerConfig& moving) {
  constexpr std::uint64_t kMinibatches = 60;
  Folding of_still(still), of_moving(moving);
  std::vector<double> still_seconds, moving_seconds;
  for (std::uint64_t t = 0; t < kMinibatches; ++t) {
    const Batch batch = BatchAt(still.features[0].width, still.likelihood.name, kRows, t);
    still_seconds.push_back(SecondsToLearn(of_still, batch));
    moving_seconds.push_back(SecondsToLearn(of_moving, batch));
  }
  const auto bytes = [](const Folding& fold) {
    return static_cast<double>(fold.learner().EncodeState(fold.state()).size());
  };
  return {{Quantile(still_seconds, 0.5), bytes(of_still)},
          {Quantile(moving_seconds, 0.5), bytes(of_moving)}};
}

void AddRatio(const std::string& name, const LearnerConfig& still, const LearnerConfig& moving,
              double most, Report& report) {
  const auto [of_still, of_moving] = CostOf(still, moving);
  report.Add({name, of_moving.seconds / of_still.seconds, 0, most, Direction::kAtMost,
              absl::StrFormat("%.1f us a row, static %.1f", 1e6 * of_moving.seconds / kRows,
                              1e6 * of_still.seconds / kRows)});
  report.Add({absl::StrCat(name, ": memory"), of_moving.bytes / of_still.bytes, 0, most,
              Direction::kAtMost,
              absl::StrFormat("%.0f bytes, static %.0f", of_moving.bytes, of_still.bytes)});
}

void AddLinear(Index inputs, const std::string& likelihood, Report& report) {
  AddRatio(absl::StrCat("linear, ", likelihood, ", ", inputs, " inputs"),
           ConfigOf(inputs, likelihood, 0, "static"), ConfigOf(inputs, likelihood, 0, "adaptive"),
           8, report);
}

// The scale of the prior costs beliefs too, which move or not: so it is the same on both sides.
void AddNetwork(Index inputs, Index hidden, const std::string& likelihood, const char* scale,
                Report& report) {
  LearnerConfig still = ConfigOf(inputs, likelihood, hidden, "static");
  LearnerConfig moving = ConfigOf(inputs, likelihood, hidden, "adaptive");
  for (LearnerConfig* config : {&still, &moving}) config->prior.options["layer_scale"] = scale;
  AddRatio(absl::StrCat("network, ", likelihood, ", ", inputs, " inputs, ", hidden,
                        " units, layer_scale ", scale),
           still, moving, 2.2, report);
}

}  // namespace

void MovingCost(Report& report) {
  report.Section("Processor time of adaptive over that of static");
  report.Describe(absl::StrCat(
      "Of the median of 60 minibatches of ", kRows,
      " rows; the two take turns. By default a network has a belief of each scale of the prior "
      "where it can be afforded (`layer_scale` both), whether the world moves or not."));
  for (const char* likelihood : {"gaussian", "bernoulli", "negative_binomial"}) {
    for (const Index inputs : {Index{9}, Index{99}, Index{499}}) {
      AddLinear(inputs, likelihood, report);
    }
  }
  struct Size {
    Index inputs, hidden;
    bool both;  // scales are the default
  };
  for (const char* likelihood : {"gaussian", "bernoulli"}) {
    for (const Size& size :
         {Size{2, 32, true}, Size{20, 50, true}, Size{100, 100, false}, Size{784, 128, false}}) {
      AddNetwork(size.inputs, size.hidden, likelihood, "fan_in", report);
      if (size.both) AddNetwork(size.inputs, size.hidden, likelihood, "both", report);
    }
  }
}

}  // namespace prequel::accept
