// The passes through a network 784-256-10 with B = 128, over the matrix products they consist of,
// done by Eigen on matrices that are there already and in the same precision: ratio 1 is all that
// the library gives, 1.67 three fifths of it.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "core/config/options.h"
#include "core/linalg/flush_denormals.h"
#include "core/models/mlp.h"
#include "tests/bench/compare.h"

namespace prequel {
namespace {

constexpr Index kInputs = 784, kHidden = 256, kClasses = 10, kRows = 128;

// out = a b, of m × k and k × n.
template <class Scalar = double>
class Product {
 public:
  Product(Index m, Index k, Index n)
      : a_(Normals(m, k, 1).cast<Scalar>()), b_(Normals(k, n, 2).cast<Scalar>()), out_(m, n) {}
  void operator()() {
    out_.noalias() = a_ * b_;
    benchmark::DoNotOptimize(out_.data());
  }

 private:
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> a_, b_, out_;
};

// Those of a network's pass: W₁ X and W₂ A forward; W₂ᵀ U, Δ Xᵀ and U Aᵀ backward.
class Forwards {
 public:
  void operator()() {
    first_();
    second_();
  }

 private:
  Product<> first_{kHidden, kInputs, kRows}, second_{kClasses, kHidden, kRows};
};

class Backwards {
 public:
  void operator()() {
    through_();
    first_();
    second_();
  }

 private:
  Product<> through_{kHidden, kClasses, kRows}, first_{kHidden, kRows, kInputs},
      second_{kClasses, kRows, kHidden};
};

// And (Δ∘Δ)(X∘X)ᵀ in single precision, (U∘U)(A∘A)ᵀ in double, as Squares does them.
class ForwardsAndBackwardsWithSquares {
 public:
  void operator()() {
    forwards_();
    backwards_();
    first_();
    second_();
  }

 private:
  Forwards forwards_;
  Backwards backwards_;
  Product<float> first_{kHidden, kRows, kInputs};
  Product<> second_{kClasses, kRows, kHidden};
};

// The network, after a pass forward.
class Network {
 public:
  Network() {
    const ComponentConfig config = {"mlp", {{"hidden", std::vector<double>{kHidden}}}};
    Options options("config.model", config);
    if (!model_.Configure(options, kInputs, kClasses).ok()) std::abort();
    theta_.resize(model_.num_params());
    model_.Initialize({1, 2, 3}, theta_);
    gradient_.resize(theta_.size());
    squares_.resize(theta_.size());
    logits_.resize(kClasses, kRows);
    Forward();
  }

  void Forward() {
    const FlushDenormals flush;
    model_.Forward(theta_, inputs_, tape_, logits_);
  }
  void Backward() {
    const FlushDenormals flush;
    model_.VjpSum(theta_, tape_, cotangents_, gradient_);
  }
  void ForwardAndBackwardWithSquares() {
    Forward();
    const FlushDenormals flush;
    model_.VjpSquares(theta_, tape_, cotangents_, gradient_, squares_);
  }

 private:
  Mlp model_;
  Mlp::Tape tape_;
  Matrix inputs_ = Normals(kInputs, kRows, 3), cotangents_ = Normals(kClasses, kRows, 4), logits_;
  Vector theta_, gradient_, squares_;
};

template <class Floor, class Pass>
void PassOverProducts(benchmark::State& state, Pass pass) {
  Network network;
  Compare(
      state, [&] { pass(network); }, Floor());
}

template <class Floor, class Pass>
void Measure(const char* name, Pass pass) {
  benchmark::RegisterBenchmark(name, PassOverProducts<Floor, Pass>, pass)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(1);
}

const bool kMeasured = [] {
  Measure<Forwards>("GemmForward", [](Network& network) { network.Forward(); });
  Measure<Backwards>("GemmBackward", [](Network& network) { network.Backward(); });
  Measure<ForwardsAndBackwardsWithSquares>(
      "GemmWithSquares", [](Network& network) { network.ForwardAndBackwardWithSquares(); });
  return true;
}();

}  // namespace
}  // namespace prequel
