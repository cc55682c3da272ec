// One step of each rule for a network 784-256-10 and B = 128, over a step of adam timed in the same
// loop. The step alone: no encoding, no scoring.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "core/learner/problem.h"
#include "core/linalg/flush_denormals.h"
#include "tests/bench/compare.h"

namespace prequel {
namespace {

constexpr Index kInputs = 784, kClasses = 10, kRows = 128;

Problem ProblemOf(const std::string& rule, std::map<std::string, OptionValue> options) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.target.num_classes = kClasses;
  config.likelihood.name = "categorical";
  config.model = {"mlp", {{"hidden", std::vector<double>{256}}}};
  options["mode"] = std::string("dataset");
  options["dataset_size"] = 60000.0;
  config.rule = {rule, std::move(options)};
  absl::StatusOr<Problem> problem = Problem::Make(config);
  if (!problem.ok()) std::abort();
  return *std::move(problem);
}

// Steps one posterior in place, on one minibatch.
class Stepper {
 public:
  explicit Stepper(Problem problem)
      : problem_(std::move(problem)),
        inputs_(Normals(kInputs, kRows, 1)),
        targets_(1, kRows),
        posterior_(problem_.prototype()),
        state_(FreshState(problem_.rule)) {
    for (Index i = 0; i < kRows; ++i) targets_(0, i) = static_cast<double>(i % kClasses);
  }

  void operator()() {
    const FlushDenormals flush;  // as Learner::Update does
    expansion_.Bind(problem_.model, problem_.likelihood, inputs_, targets_, noise_);
    ++steps_;
    const StepInput input{expansion_, false,   problem_.prior_mean,  problem_.priors[0].precision,
                          nullptr,    60000.0, Stream{1, steps_, 0}, scratch_};
    std::visit(
        [&]<class R, class Q>(const R& rule, Q& q) {
          if constexpr (Steps<R, Q>) {
            auto& state = StateOf<R>(state_);
            if (!rule.Step(input, q, state, q, state).ok() || !q.IsFinite()) std::abort();
          } else {
            std::abort();
          }
        },
        problem_.rule, posterior_);
  }

 private:
  Problem problem_;
  Matrix inputs_, targets_;
  NoiseLevel noise_;
  Expansion expansion_;
  RuleScratch scratch_;
  Posterior posterior_;
  RuleState state_;
  std::uint64_t steps_ = 0;
};

void StepOverAdam(benchmark::State& state, const std::string& rule,
                  std::map<std::string, OptionValue> options) {
  Compare(state, Stepper(ProblemOf(rule, std::move(options))), Stepper(ProblemOf("adam", {})));
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_mb"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

using OptionMap = std::map<std::string, OptionValue>;

template <class... Args>
void Measure(const char* name, const Args&... args) {
  benchmark::RegisterBenchmark(name, StepOverAdam, args...)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(2);
}

const bool kMeasured = [] {
  Measure("StepAdam", "adam", OptionMap{});
  Measure("StepVogn", "vogn", OptionMap{});
  Measure("StepVognGgn", "vogn", OptionMap{{"curvature", std::string("ggn")}});
  Measure("StepIvon", "ivon", OptionMap{});
  Measure("StepVadam", "vadam", OptionMap{});
  Measure("StepBbb", "bbb", OptionMap{});
  return true;
}();

}  // namespace
}  // namespace prequel
