// Small problems with known optima, and where a rule that draws settles on them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel {

using OptionMap = std::map<std::string, OptionValue>;

// Linear-gaussian data with known noise under the prior N(0, I/precision); the bias comes last.
struct LinearProblem {
  Index inputs = 4, rows = 50;
  double noise = 0.25, precision = 2;
  Batch batch = LinearBatch(inputs, rows, 0);

  Index size() const { return inputs + 1; }
  Matrix Design() const {  // rows × D
    Matrix x(rows, size());
    x.leftCols(inputs) = batch.inputs.transpose();
    x.col(inputs).setOnes();
    return x;
  }
  Matrix ExactPrecision() const {
    return precision * Matrix::Identity(size(), size()) + Design().transpose() * Design() / noise;
  }
  Vector ExactMean() const {
    return ExactPrecision().llt().solve(Design().transpose() * batch.targets.transpose() / noise);
  }
  // In dataset mode, of these rows.
  LearnerConfig Config(const std::string& rule, OptionMap options) const {
    LearnerConfig config = PlainConfig(inputs, "gaussian");
    config.likelihood.options["noise"] = noise;
    config.prior.options["precision"] = precision;
    options["mode"] = std::string("dataset");
    options["dataset_size"] = static_cast<double>(rows);
    config.rule = {rule, std::move(options)};
    return config;
  }
};

// q after `steps` minibatches, `batch` every time, and its averages over the second half.
struct Settled {
  LearnerState state;
  Vector mean, precision;
};
inline Settled Settle(const LearnerConfig& config, const Batch& batch, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  Settled settled;
  settled.mean = settled.precision = Vector::Zero(learner.num_parameters());
  const int half = steps / 2;
  const double share = 1.0 / (steps - half);
  for (int t = 0; t < steps; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    if (t < half) continue;
    if (const auto* q = std::get_if<DiagonalGaussian>(&BeliefOf(state).posterior)) {
      settled.mean += share * q->mean;
      settled.precision += share * q->precision;
    }
  }
  settled.state = std::move(state);
  return settled;
}

inline double LargestRelative(const Vector& got, const Vector& want) {
  return (got.cwiseQuotient(want).array() - 1).abs().maxCoeff();
}

// In standard deviations of N(·, diag(precision)⁻¹).
inline double LargestInDeviations(const Vector& got, const Vector& want, const Vector& precision) {
  return (got - want).cwiseProduct(precision.cwiseSqrt()).cwiseAbs().maxCoeff();
}

}  // namespace prequel
