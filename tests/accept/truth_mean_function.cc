// Linear models of rows that are alike: how far the mean function is from the truth, in deviations
// of what is served as not known of it.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/in_parallel.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr Index kInputs = 4, kAsked = 200, kSize = 64;
constexpr std::uint64_t kSeeds = 32;

Matrix Normals(Index rows, Index cols, std::uint64_t seed, std::uint32_t lane) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, lane}, out);
  return out;
}

Eigen::RowVector4d Weights() { return Eigen::RowVector4d(1, 1, -1, 1); }

struct Distance {
  double square = 0;  // of the mean from the truth
  double z = 0;       // the same in units of the variance that is served
};

// After `rows` rows with noise of that deviation.
Distance DistanceOf(const std::string& dynamics, double noise, Index rows, std::uint64_t seed) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = kInputs}};
  config.likelihood.name = "gaussian";
  config.dynamics.name = dynamics;
  Batch learned;
  learned.inputs = Normals(kInputs, rows, seed, 1);
  learned.targets = Weights() * learned.inputs + noise * Normals(1, rows, seed, 2);
  Folding fold(config);
  fold.LearnAll(learned, kSize);
  Batch asked;
  asked.inputs = Normals(kInputs, kAsked, seed, 3);
  const Answer answer = fold.Predict(asked);
  const Eigen::ArrayXd off = (answer["mean"] - Weights() * asked.inputs).array().square().row(0);
  const Eigen::ArrayXd variance = answer["epistemic_variance"].array().row(0);
  return {.square = off.mean(), .z = (off / variance).mean()};
}

void AddNoise(const std::string& dynamics, double noise, Report& report) {
  const std::string name = dynamics.empty() ? "default" : dynamics;
  for (const Index rows : {Index{500}, Index{5000}, Index{40000}, Index{100000}}) {
    std::vector<Distance> distances(kSeeds);
    InParallel(kSeeds, [&](std::size_t seed) {
      distances[seed] = DistanceOf(dynamics, noise, rows, seed + 1);
    });
    double square = 0, z = 0;
    for (const Distance& distance : distances) {
      square += distance.square / static_cast<double>(kSeeds);
      z += distance.z / static_cast<double>(kSeeds);
    }
    // Of least squares with an intercept, on average over rows that are like those learned.
    const double least = noise * std::sqrt((kInputs + 1) / static_cast<double>(rows));
    const std::string title =
        absl::StrFormat("%s, noise %g, %d rows: rms z of the mean", name, noise, rows);
    const std::string setting =
        absl::StrFormat("error %.5f, least squares %.5f", std::sqrt(square), least);
    report.Add({title, std::sqrt(z), 0, 1.25, Direction::kAtMost, setting});
    report.Add({title, std::sqrt(z), 0, 0.8, Direction::kAtLeast, ""});
  }
}

}  // namespace

void TruthMeanFunction(Report& report) {
  report.Section("The mean function, in deviations of what is not known of it");
  report.Describe(absl::StrFormat(
      "y = x · (1, 1, −1, 1) and noise, x of N(0, I), learned in minibatches of %d; asked of %d "
      "more rows; seeds 1 to %d.",
      kSize, kAsked, kSeeds));
  for (const char* dynamics : {"", "static"}) {
    for (const double noise : {1.0, 0.1, 0.01}) AddNoise(dynamics, noise, report);
  }
}

}  // namespace prequel::accept
