// Small streams and configurations that the core tests share. All are functions of their seed.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/likelihoods/likelihood.h"
#include "core/random/philox.h"

namespace prequel {

inline Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint64_t step = 0) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, step, 77}, out);
  return out;
}

// `inputs` numeric features of width one, nothing standardised or calibrated, in a world that does
// not move.
inline LearnerConfig PlainConfig(Index inputs, const std::string& likelihood) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.target.name = "y";
  config.likelihood.name = likelihood;
  config.dynamics.name = "static";
  config.standardize_inputs = Standardize::kNone;
  config.standardize_targets = Standardize::kNone;
  config.calibration.name = "none";  // what is predicted is what the posterior says
  config.prior = {"isotropic", {{"scale", "given"}}};
  config.seed = 7;
  return config;
}

// Some rows of a batch that says no more of them than inputs and targets.
inline Batch RowsOf(const Batch& all, Index first, Index count) {
  Batch rows;
  rows.inputs = all.inputs.middleCols(first, count);
  rows.targets = all.targets.middleCols(first, count);
  return rows;
}

// y = w·x + b + noise.
inline Batch LinearBatch(Index inputs, Index rows, std::uint64_t step, double noise = 0.5) {
  Batch batch;
  batch.inputs = Normals(inputs, rows, 1, step);
  const Matrix weights = Normals(1, inputs, 2);
  batch.targets = weights * batch.inputs + noise * Normals(1, rows, 3, step);
  batch.targets.array() += 0.3;
  return batch;
}

// P(y = 1) = σ(w·x).
inline Batch LogisticBatch(Index inputs, Index rows, std::uint64_t step) {
  Batch batch;
  batch.inputs = Normals(inputs, rows, 1, step);
  const Matrix logits = Normals(1, inputs, 2) * batch.inputs;
  Vector u(rows);
  FillUniform(Stream{4, step, 0}, u);
  batch.targets.resize(1, rows);
  for (Index i = 0; i < rows; ++i) {
    batch.targets(0, i) = u[i] < 1 / (1 + std::exp(-logits(0, i))) ? 1 : 0;
  }
  return batch;
}

// Of every likelihood of the set.
inline std::vector<std::string> LikelihoodNames() {
  return []<class... Ls>(const std::variant<Ls...>*) {
    return std::vector<std::string>{std::string(Ls::kName)...};
  }(static_cast<const Likelihood*>(nullptr));
}

// Targets that suit `likelihood`: values, 0/1, one of three classes, or small counts.
inline Batch BatchFor(const std::string& likelihood, Index inputs, Index rows, std::uint64_t step) {
  if (likelihood == "gaussian") return LinearBatch(inputs, rows, step);
  Batch batch = LogisticBatch(inputs, rows, step);
  if (likelihood == "bernoulli") return batch;
  for (Index i = 0; i < rows; ++i) {
    double& y = batch.targets(0, i);
    if (likelihood == "categorical") {
      y = batch.inputs(0, i) > 0.5 ? 2 : y;
    } else {
      y = std::floor(std::exp(0.5 * batch.inputs(0, i)) + y);
    }
  }
  return batch;
}

// Two half circles (math: two moons), 32 of each class per 64 rows.
inline Batch MoonsBatch(std::uint64_t seed, std::uint64_t step, Index rows = 64,
                        double noise = 0.2) {
  Batch batch;
  batch.inputs.resize(2, rows);
  batch.targets.resize(1, rows);
  Vector angle(rows);
  FillUniform(Stream{seed, step, 5}, angle);
  for (Index i = 0; i < rows; ++i) {
    const double a = angle[i] * 3.14159265358979323846;
    const bool second = i % 2 == 1;
    batch.targets(0, i) = second ? 1 : 0;
    batch.inputs(0, i) = second ? 1 - std::cos(a) : std::cos(a);
    batch.inputs(1, i) = second ? 0.5 - std::sin(a) : std::sin(a);
  }
  batch.inputs += noise * Normals(2, rows, seed + 1000, step);
  return batch;
}

}  // namespace prequel
