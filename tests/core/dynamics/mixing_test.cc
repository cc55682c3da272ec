// The weights of beliefs in a world that moves, against the equations written out row by row.
#include "core/dynamics/mixing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/archive/archive.h"
#include "tests/core/streams.h"

namespace prequel::mixing_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Mixing OfThree() { return {Eigen::Vector3d(0.5, 0.25, 0.25), Eigen::Vector3d(0.72, 0.18, 0.1)}; }

Vector Weights(const MixingState& state) {
  Vector w(state.weights.rows());
  Mixing::Weights(state, w);
  return w;
}

// One hypothesis (α, e) by the letter.
struct Plain {
  double share, exponent;
  Vector w = Eigen::Vector3d(0.72, 0.18, 0.1), average = w, v = w;
  double rows = 64, log_trust = 0;

  void Absorb(const Matrix& log_densities) {
    const auto n = static_cast<double>(log_densities.cols());
    for (Index i = 0; i < log_densities.cols(); ++i) {
      log_trust += std::log((w.array() * log_densities.col(i).array().exp()).sum());
    }
    const Vector evidence = log_densities.rowwise().sum();
    v = w.array() * (std::pow(n, -exponent) * evidence.array()).exp();
    v /= v.sum();
    average = (rows * average + n * v) / (rows + n);
    rows += n;
    const double kept = std::exp(-share * n);
    const Vector base = Eigen::Vector3d(0.5, 0.25, 0.25);
    w = kept * v + (1 - kept) * (0.9 * average + 0.1 * base);
  }
};

TEST(Mixing, FollowsItsEquations) {
  const Mixing mixing = OfThree();
  MixingState state = mixing.Fresh();
  MixingScratch scratch;
  std::array<Plain, 12> plain;
  std::size_t j = 0;
  for (const double share : {1e-4, 1e-3, 1e-2, 1e-1}) {
    for (const double exponent : {0.0, 0.5, 1.0}) plain[j++] = {share, exponent};
  }
  for (std::uint64_t t = 0; t < 40; ++t) {
    const auto rows = static_cast<Index>(1 + t % 9);
    Matrix log_densities = 0.7 * Normals(3, rows, 5, t);
    log_densities.row(t < 20 ? 0 : 2).array() += 0.4;
    ASSERT_TRUE(mixing.Absorb(log_densities, state, scratch));
    Vector want = Vector::Zero(3), told = want, believed = want;
    double trust = 0;
    for (Plain& hypothesis : plain) {
      hypothesis.Absorb(log_densities);
      trust += std::exp(hypothesis.log_trust);
    }
    for (const Plain& hypothesis : plain) {
      want += std::exp(hypothesis.log_trust) / trust * hypothesis.w;
      told += std::exp(hypothesis.log_trust) / trust * hypothesis.v;
    }
    EXPECT_LT((Weights(state) - want).cwiseAbs().maxCoeff(), 1e-12) << t;
    Mixing::Believed(state, scratch, believed);
    EXPECT_LT((believed - told).cwiseAbs().maxCoeff(), 1e-12) << t;
  }
  EXPECT_GT(Weights(state)[2], Weights(state)[0]) << "it was better of late";
  EXPECT_TRUE(mixing.IsSound(state));
}

// What all beliefs share says nothing, however small it is.
TEST(Mixing, SeesRatiosOnly) {
  const Mixing mixing = OfThree();
  MixingState state = mixing.Fresh(), shifted = state;
  MixingScratch scratch;
  const Matrix log_densities = Normals(3, 7, 1);
  ASSERT_TRUE(mixing.Absorb(log_densities, state, scratch));
  ASSERT_TRUE(mixing.Absorb(log_densities.array() - 1e6, shifted, scratch));
  EXPECT_LT((Weights(state) - Weights(shifted)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Mixing, ABeliefThatWasSurelyWrongComesBack) {
  const Mixing mixing = OfThree();
  MixingState state = mixing.Fresh();
  MixingScratch scratch;
  const auto feed = [&](double first, double second, int times) {
    for (int t = 0; t < times; ++t) {
      ASSERT_TRUE(mixing.Absorb(Eigen::Vector3d(first, second, -5), state, scratch));
    }
  };
  feed(-1, -kInfinity, 3);
  EXPECT_LT(Weights(state)[1], 1e-2);
  feed(-1, -3, 100000);
  EXPECT_GT(Weights(state)[0], 0.99);
  feed(-3, -1, 30);
  EXPECT_GT(Weights(state)[1], 0.9);
  EXPECT_NEAR(Weights(state).sum(), 1, 1e-9);
  EXPECT_TRUE(mixing.IsSound(state));
}

TEST(Mixing, WhatNoBeliefThinksPossibleIsToldApart) {
  const Mixing mixing = OfThree();
  MixingState state = mixing.Fresh();
  MixingScratch scratch;
  EXPECT_FALSE(mixing.Absorb(Vector::Constant(3, -kInfinity), state, scratch));
  EXPECT_FALSE(mixing.Absorb(Vector::Constant(3, std::nan("")), state, scratch));
}

TEST(Mixing, KnowsAStateThatIsNotSound) {
  const Mixing mixing = OfThree();
  const auto sound_but = [&](auto breaking) {
    MixingState state = mixing.Fresh();
    breaking(state);
    return mixing.IsSound(state);
  };
  EXPECT_TRUE(sound_but([](MixingState&) {}));
  EXPECT_FALSE(sound_but([](MixingState& s) { s.weights(0, 3) += 0.01; }));
  EXPECT_FALSE(sound_but([](MixingState& s) { s.weights(0, 3) = std::nan(""); }));
  EXPECT_FALSE(sound_but([](MixingState& s) { s.average(1, 0) = -0.1; }));
  EXPECT_FALSE(sound_but([](MixingState& s) { s.log_trust[0] = 1; }));
  EXPECT_FALSE(sound_but([](MixingState& s) { s.rows = 3; }));
  EXPECT_FALSE(sound_but([](MixingState& s) { s = {}; }));
  EXPECT_TRUE(Mixing().IsSound({}));
  EXPECT_FALSE(Mixing().IsSound(mixing.Fresh()));
}

}  // namespace
}  // namespace prequel::mixing_test
