// A step of LoFi as the number of weights grows: time and memory are to be linear in it.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "core/learner/learner.h"
#include "core/random/philox.h"

namespace prequel {
namespace {

constexpr Index kRows = 32;

// A network of one hidden layer of 64 and about `size` weights, at rank 10. The same batch every
// time, at the start of a stream that the encoders already know.
void LofiStep(benchmark::State& state) {
  const Index hidden = 64, inputs = state.range(0) / hidden - 2;
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood.name = "bernoulli";
  config.model = {"mlp", {{"hidden", std::vector<double>{static_cast<double>(hidden)}}}};
  config.prior.options["layer_scale"] = std::string("fan_in");
  config.posterior = {"low_rank", {{"rank", 10.0}}};
  config.rule.name = "lofi";
  const Learner learner = *Learner::Create(config);
  Batch batch;
  batch.inputs.resize(inputs, kRows);
  FillNormal(Stream{1, 0, 0}, batch.inputs);
  batch.targets = (batch.inputs.row(0).array() > 0).cast<double>();
  LearnerState now = learner.Initial(), next;
  now.examples = 1'000'000;
  Scratch scratch;
  const auto step = [&] {
    const absl::StatusOr<Learned> learned = learner.Update(now, batch, scratch, next);
    if (!learned.ok()) std::abort();
  };
  step();  // grows the scratch
  const std::clock_t start = std::clock();
  for (auto _ : state) step();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto size = static_cast<double>(learner.num_parameters());
  state.counters["weights"] = size;
  // Should not depend on D. Memory is the peak of the process so far: the sizes ascend.
  state.counters["ns_per_weight"] = 1e9 * seconds / static_cast<double>(state.iterations()) / size;
  state.counters["peak_bytes_per_weight"] = 1024.0 * static_cast<double>(usage.ru_maxrss) / size;
}

BENCHMARK(LofiStep)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prequel
