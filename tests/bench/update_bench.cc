// The update of a full and of a diagonal posterior, each over a floor timed in the same loop: the
// products and factorisations of the same sizes that no implementation avoids. And the default
// dynamics over static ones.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "core/random/philox.h"
#include "tests/bench/compare.h"

namespace prequel {
namespace {

LearnerConfig Config(Index inputs, const std::string& model, std::vector<double> hidden,
                     const std::string& posterior, const std::string& scheme) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood.name = "bernoulli";
  config.model.name = model;
  if (model == "mlp") config.model.options["hidden"] = std::move(hidden);
  config.posterior.name = posterior;
  config.prior.options["layer_scale"] = std::string("fan_in");
  config.rule.options["scheme"] = scheme;
  return config;
}

Batch Rows(Index inputs, Index rows) {
  Batch batch;
  batch.inputs = Normals(inputs, rows, 1);
  batch.targets = (batch.inputs.row(0).array() > 0).cast<double>();
  return batch;
}

// Makes one state of another, the same update every time, at the start of a stream that the
// encoders already know.
class Folder {
 public:
  Folder(const LearnerConfig& config, Batch batch)
      : learner_(*Learner::Create(config)), state_(learner_.Initial()), batch_(std::move(batch)) {
    state_.examples = 1'000'000;  // a settled encoding: one linearisation per minibatch
  }
  void operator()() {
    const absl::StatusOr<Learned> learned = learner_.Update(state_, batch_, scratch_, next_);
    if (!learned.ok()) std::abort();
  }
  // From here on the state is one that has learned, so that its predictions are scored.
  void WarmUp() {
    for (int minibatch = 0; minibatch < 64; ++minibatch) {
      (*this)();
      std::swap(state_, next_);
    }
  }
  Index num_parameters() const { return learner_.num_parameters(); }

 private:
  Learner learner_;
  LearnerState state_, next_;
  Batch batch_;
  Scratch scratch_;
};

// P J (D²n), S = Jᵀ P J (Dn²), Cholesky of S (n³/3), K C⁻ᵀ (Dn²), P − K Kᵀ (D²n).
class FullFloor {
 public:
  FullFloor(Index size, Index columns)
      : covariance_(Matrix::Identity(size, size)), jacobian_(0.01 * Normals(size, columns, 2)) {}
  void operator()() {
    gain_.noalias() = covariance_.selfadjointView<Eigen::Lower>() * jacobian_;
    inner_.resize(jacobian_.cols(), jacobian_.cols());
    inner_.triangularView<Eigen::Lower>() = jacobian_.transpose() * gain_;
    inner_.diagonal().array() += 1;
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(inner_);
    inner_.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(gain_);
    next_ = covariance_;
    next_.selfadjointView<Eigen::Lower>().rankUpdate(gain_, -1);
    benchmark::DoNotOptimize(next_.data());
  }

 private:
  Matrix covariance_, jacobian_, gain_, inner_, next_;
};

void FullExplicitLinear1024(benchmark::State& state) {
  Compare(state, Folder(Config(1023, "linear", {}, "full", "explicit"), Rows(1023, 256)),
          FullFloor(1024, 256));
}
void FullExplicitMoons(benchmark::State& state) {
  Compare(state, Folder(Config(2, "mlp", {32}, "full", "explicit"), Rows(2, 64)),
          FullFloor(129, 64));
}
void FullImplicitMoons(benchmark::State& state) {
  Compare(state, Folder(Config(2, "mlp", {32}, "full", "implicit"), Rows(2, 64)),
          FullFloor(129, 64));
}

// A plain forward and backward pass of an MLP with one hidden layer of tanh and one logit.
class PlainPass {
 public:
  PlainPass(Index inputs, Index hidden, Index rows)
      : x_(Normals(inputs, rows, 1)),
        w1_(0.1 * Normals(hidden, inputs, 2)),
        w2_(0.1 * Normals(1, hidden, 3)),
        b1_(Vector::Zero(hidden)) {
    y_ = (x_.row(0).array() > 0).cast<double>();
  }
  void operator()() {
    h_.noalias() = w1_ * x_;
    h_.colwise() += b1_;
    h_ = 1 - 2 / ((2 * h_.array()).exp() + 1);
    f_.noalias() = w2_ * h_;
    f_.array() += b2_;
    delta2_ = 1 / (1 + (-f_.array()).exp()) - y_.array();
    gradient2_.noalias() = delta2_ * h_.transpose();
    delta1_.noalias() = w2_.transpose() * delta2_;
    delta1_.array() *= 1 - h_.array().square();
    gradient1_.noalias() = delta1_ * x_.transpose();
    bias1_ = delta1_.rowwise().sum();
    bias2_ = delta2_.sum();
    benchmark::DoNotOptimize(gradient1_.data());
    benchmark::DoNotOptimize(bias2_);
  }

 private:
  Matrix x_, y_, w1_, w2_;
  Vector b1_;
  double b2_ = 0, bias2_ = 0;
  Matrix h_, f_, delta1_, delta2_, gradient1_, gradient2_;
  Vector bias1_;
};

void DiagonalExplicitMlp(benchmark::State& state) {
  const Index inputs = state.range(0), hidden = state.range(1), rows = state.range(2);
  Compare(state,
          Folder(Config(inputs, "mlp", {static_cast<double>(hidden)}, "diagonal", "explicit"),
                 Rows(inputs, rows)),
          PlainPass(inputs, hidden, rows));
}

void DiagonalLinear16(benchmark::State& state) {
  Folder fold(Config(16, "linear", {}, "diagonal", state.range(0) == 1 ? "implicit" : "explicit"),
              Rows(16, 256));
  for (auto _ : state) fold();
  state.SetItemsProcessed(state.iterations() * 256);
}

// What it costs that a world may move: a linear model by default settings, of so many inputs.
void AdaptiveOverStatic(benchmark::State& state) {
  const Index inputs = state.range(0);
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood.name = state.range(1) == 1 ? "bernoulli" : "gaussian";
  LearnerConfig still = config;
  config.dynamics.name = "adaptive";
  still.dynamics.name = "static";
  Batch rows = Rows(inputs, 64);
  rows.targets += 0.5 * Normals(1, 64, 3);  // noise, without which it would be learned to be none
  if (state.range(1) == 1) rows.targets = (rows.targets.array() > 0.5).cast<double>();
  Folder following(config, rows), standing(still, rows);
  following.WarmUp();
  standing.WarmUp();
  Compare(state, std::move(following), std::move(standing));
}

BENCHMARK(FullExplicitLinear1024)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(FullExplicitMoons)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(FullImplicitMoons)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(DiagonalExplicitMlp)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->Args({8, 50, 128})
    ->Args({64, 128, 128})
    ->Args({256, 256, 128})
    ->Args({784, 256, 128});
BENCHMARK(AdaptiveOverStatic)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->ArgsProduct({{9, 99, 499}, {0, 1}});
BENCHMARK(DiagonalLinear16)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace prequel

BENCHMARK_MAIN();
