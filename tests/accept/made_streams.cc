#include "tests/accept/made_streams.h"

#include <cmath>
#include <numbers>

#include "core/random/philox.h"

namespace prequel::accept {
namespace {

Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint32_t lane) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, lane}, out);
  return out;
}

}  // namespace

Vector StillWeights(std::uint64_t seed, Index /*i*/) { return Normals(kMadeInputs, 1, seed, 2); }

Vector SwitchingWeights(std::uint64_t seed, Index i) {
  return Normals(kMadeInputs, 1, seed, 100 + static_cast<std::uint32_t>(i / 1000));
}

Vector RotatingWeights(std::uint64_t seed, Index i) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 4000;
  return 2 * (std::cos(angle) * Normals(kMadeInputs, 1, seed, 2) +
              std::sin(angle) * Normals(kMadeInputs, 1, seed, 3));
}

Batch MadeRows(WeightPath path, bool classes, std::uint64_t seed) {
  Batch rows;
  rows.inputs = Normals(kMadeInputs, kMadeRows, seed, 1);
  rows.targets = 0.5 * Normals(1, kMadeRows, seed, 4);
  Vector u(kMadeRows);
  FillUniform(Stream{seed, 0, 5}, u);
  for (Index i = 0; i < kMadeRows; ++i) {
    const double f = path(seed, i).dot(rows.inputs.col(i));
    double& y = rows.targets(0, i);
    y = classes ? (u[i] < 1 / (1 + std::exp(-f)) ? 1 : 0) : f + y;
  }
  return rows;
}

LearnerConfig MadeConfig(bool classes) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = kMadeInputs}};
  config.likelihood.name = classes ? "bernoulli" : "gaussian";
  return config;
}

}  // namespace prequel::accept
