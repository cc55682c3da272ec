// Learning with an answer over learning alone: a minibatch of 64 rows is predicted before it is
// learned either way, so the ratio says what it costs to answer as well. Quantiles apart, which are
// no part of a score: what they cost of a mixture of draws, over its moments.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "core/random/philox.h"
#include "tests/bench/compare.h"

namespace prequel {
namespace {

constexpr Index kRows = 64;

struct Setting {
  std::string likelihood, query, model, posterior;
  Index inputs = 2;
};

LearnerConfig Config(const Setting& s) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = s.inputs}};
  config.likelihood.name = s.likelihood;
  config.model.name = s.model;
  if (s.model == "mlp") config.model.options["hidden"] = std::vector<double>{32};
  config.posterior.name = s.posterior;
  config.prior.options["layer_scale"] = std::string("fan_in");
  config.seed = 1;
  return config;
}

Batch Rows(Index inputs) {
  Batch batch;
  batch.inputs = Normals(inputs, kRows, 1);
  batch.targets = (batch.inputs.row(0).array() > 0).cast<double>();
  return batch;
}

// The same minibatch into the same settled state, every time.
class Folder {
 public:
  Folder(const Setting& setting, bool answers)
      : learner_(*Learner::Create(Config(setting))),
        queries_(*learner_.Ask({.queries = {{setting.query, {}}}})),
        answers_(answers),
        state_(learner_.Initial()),
        batch_(Rows(setting.inputs)) {
    for (int i = 0; i < 20; ++i) {
      (*this)();
      std::swap(state_, next_);
    }
    state_.examples = 1'000'000;
  }
  void operator()() {
    const absl::StatusOr<Learned> learned =
        learner_.Update(state_, batch_, scratch_, next_, answers_ ? &queries_ : nullptr, &answer_);
    if (!learned.ok()) std::abort();
  }

 private:
  Learner learner_;
  QuerySet queries_;
  bool answers_;
  LearnerState state_, next_;
  Batch batch_;
  Scratch scratch_;
  Answer answer_;
};

// One row, of the settled state of a default model, by so many draws of each belief.
class Asker {
 public:
  Asker(const std::string& query, int samples)
      : learner_(*Learner::Create(Default())),
        queries_(*learner_.Ask({.samples = samples, .queries = {{query, {}}}})),
        state_(learner_.Initial()),
        row_({.inputs = Normals(4, 1, 2)}) {
    LearnerState next;
    for (int i = 0; i < 20; ++i) {
      if (!learner_.Update(state_, Rows(4), scratch_, next).ok()) std::abort();
      std::swap(state_, next);
    }
  }
  void operator()() {
    if (!learner_.Predict(state_, row_, queries_, scratch_).ok()) std::abort();
  }

 private:
  static LearnerConfig Default() {
    LearnerConfig config;
    config.features = {{.name = "x", .width = 4}};
    config.seed = 1;
    return config;
  }

  Learner learner_;
  QuerySet queries_;
  LearnerState state_;
  Batch row_;
  Scratch scratch_;
};

// Five quantiles of all draws over their mean and variance.
void QuantilesOfDraws(benchmark::State& state) {
  const auto samples = static_cast<int>(state.range(0));
  Compare(state, Asker("quantiles", samples), Asker("moments", samples));
}

BENCHMARK(QuantilesOfDraws)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void PredictThenLearn(benchmark::State& state, const Setting& setting) {
  Compare(state, Folder(setting, true), Folder(setting, false));
}

BENCHMARK_CAPTURE(PredictThenLearn, linear_gaussian_full,
                  Setting{"gaussian", "moments", "linear", "full", 64})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PredictThenLearn, linear_bernoulli_diagonal,
                  Setting{"bernoulli", "probabilities", "linear", "diagonal", 64})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PredictThenLearn, mlp_bernoulli_full,
                  Setting{"bernoulli", "probabilities", "mlp", "full", 2})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(PredictThenLearn, mlp_gaussian_diagonal,
                  Setting{"gaussian", "moments", "mlp", "diagonal", 64})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace prequel
