#include "tests/accept/moons_rows.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "client/data/generate.h"

namespace prequel::accept {
namespace {

constexpr double kNoise = 0.2;  // of the stream

// log p(x | moon) without the normalisation, which both have in common:
// p ∝ (1/π) ∫₀^π exp(−‖x − c(a)‖² / 2s²) da, by the midpoint rule.
double LogDensity(double x, double y, bool lower) {
  constexpr int kPoints = 400;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double a = std::numbers::pi * (i + 0.5) / kPoints;
    const double dx = x - (lower ? 1 - std::cos(a) : std::cos(a));
    const double dy = y - (lower ? 0.5 - std::sin(a) : std::sin(a));
    sum += std::exp(-(dx * dx + dy * dy) / (2 * kNoise * kNoise));
  }
  return std::log(sum);
}

}  // namespace

Batch MoonsRows(std::uint64_t seed, double turns) {
  client::GenerateOptions options;
  options.seed = seed;
  const client::ExampleStream stream = *client::MakeStream("moons", options);
  Batch rows;
  rows.inputs.resize(2, kMoonsRows);
  rows.targets.resize(1, kMoonsRows);
  for (Index i = 0; i < kMoonsRows; ++i) {
    const std::vector<double> row = stream.row(i);
    const double angle = 2 * std::numbers::pi * turns * static_cast<double>(i) / kMoonsRows;
    const double x = row[0] - 0.5, y = row[1] - 0.25;
    rows.inputs(0, i) = 0.5 + std::cos(angle) * x - std::sin(angle) * y;
    rows.inputs(1, i) = 0.25 + std::sin(angle) * x + std::cos(angle) * y;
    rows.targets(0, i) = row[2];
  }
  return rows;
}

double BestMoonsNll(const Batch& rows) {
  double nll = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double x = rows.inputs(0, i), y = rows.inputs(1, i);
    const double logit = LogDensity(x, y, true) - LogDensity(x, y, false);
    nll += std::log1p(std::exp(rows.targets(0, i) > 0.5 ? -logit : logit));
  }
  return nll / static_cast<double>(rows.rows());
}

}  // namespace prequel::accept
