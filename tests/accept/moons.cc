// Two moons (math: §8.F): 300 minibatches of 64, an MLP 2-32-1 with tanh, prior N(random init, I).
#include <cmath>
#include <string>

#include "client/data/generate.h"
#include "tests/accept/core.h"
#include "tests/accept/folding.h"

namespace prequel::accept {
namespace {

constexpr int kBatches = 300;
constexpr int kRows = 64;
constexpr int kSeeds = 20;

struct MoonsRun {
  double all = 0, last200 = 0, accuracy100 = 0;
};

Batch NextBatch(const client::ExampleStream& stream, int index) {
  Batch batch;
  batch.inputs.resize(2, kRows);
  batch.targets.resize(1, kRows);
  for (int i = 0; i < kRows; ++i) {
    const std::vector<double> row = stream.row(std::int64_t{index} * kRows + i);
    batch.inputs(0, i) = row[0];
    batch.inputs(1, i) = row[1];
    batch.targets(0, i) = row[2];
  }
  return batch;
}

MoonsRun Run(std::uint64_t seed, double prior_variance) {
  client::GenerateOptions options;
  options.seed = seed;
  const client::ExampleStream stream = *client::MakeStream("moons", options);
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2}};
  config.likelihood.name = "bernoulli";
  config.model = {"mlp", {{"hidden", std::vector<double>{32}}}};
  config.prior.options["precision"] = 1 / prior_variance;
  config.prior.options["layer_scale"] = std::string("none");
  config.rule.name = "rvga";
  config.standardize_inputs = Standardize::kNone;
  config.seed = seed;
  Folding fold(config);
  MoonsRun run;
  for (int t = 0; t < kBatches; ++t) {
    const Learned learned = fold.Learn(NextBatch(stream, t));
    run.all += learned.scores["nll"] / kBatches;
    if (t >= 100) run.last200 += learned.scores["nll"] / 200;
    if (t >= 200) run.accuracy100 += learned.scores["accuracy"] / 100;
  }
  return run;
}

}  // namespace

void TwoMoons(Report& report) {
  report.Section("Two moons, one pass of 300 minibatches of 64, rvga with default options");
  for (const double variance : {1.0, 3.0, 10.0}) {
    std::vector<double> all, last, accuracy;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const MoonsRun run = Run(seed, variance);
      all.push_back(run.all);
      last.push_back(run.last200);
      accuracy.push_back(run.accuracy100);
    }
    const std::string prior = "prior variance " + std::to_string(static_cast<int>(variance));
    const std::string setting = "seeds 1-" + std::to_string(kSeeds) + ", mlp 2-32-1";
    const auto add = [&](const char* what, const std::vector<double>& values, double target,
                         Direction direction) {
      const Mean mean = MeanOf(values);
      report.Add({prior + ": " + what, mean.value, mean.stderr_, target, direction, setting});
    };
    add("mean NLL of all 300 batches", all, variance == 1 ? 0.092 : 0.095, Direction::kAtMost);
    if (variance == 1) {
      add("mean NLL of the last 200", last, 0.082, Direction::kAtMost);
      add("accuracy over the last 100", accuracy, 0.968, Direction::kAtLeast);
    }
  }
}

}  // namespace prequel::accept
