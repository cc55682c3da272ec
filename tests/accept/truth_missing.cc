// Rows whose inputs are not all known.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 12000, kFirst = 1000, kInputs = 3, kSize = 64;
constexpr std::size_t kMostGaps = 2;  // that are looked at by themselves

struct Group {
  double rows = 0, inside = 0, deviation = 0;
};

struct World {
  Batch all;
  std::vector<std::size_t> gaps;  // of each row
};

// y = 2 x₁ + x₂ − x₃ + ½ ε, a tenth of the inputs missing.
World MakeWorld(std::uint64_t seed) {
  World world;
  Matrix& x = world.all.inputs;
  x.resize(kInputs, kRows);
  FillNormal(Stream{seed, 0, 1}, x);
  Matrix noise(1, kRows);
  FillNormal(Stream{seed, 0, 2}, noise);
  world.all.targets = Eigen::RowVector3d(2, 1, -1) * x + 0.5 * noise;
  Vector u(kInputs * kRows);
  FillUniform(Stream{seed, 0, 3}, u);
  world.gaps.assign(kRows, 0);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kInputs; ++j) {
      if (u[i * kInputs + j] >= 0.1) continue;
      x(j, i) = std::numeric_limits<double>::quiet_NaN();
      ++world.gaps[static_cast<std::size_t>(i)];
    }
  }
  return world;
}

void AddModel(const std::string& dynamics, const ComponentConfig& model, Report& report) {
  std::vector<Group> groups(kMostGaps + 1);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const World world = MakeWorld(seed);
    LearnerConfig config;
    config.features = {{.name = "x", .width = kInputs, .allow_missing = true}};
    config.likelihood.name = "gaussian";
    config.dynamics.name = dynamics;
    config.model = model;
    Folding fold(config);
    PredictOptions options;
    options.queries = {{"moments", {}}, {"interval", {{"levels", std::vector<double>{0.9}}}}};
    for (Index first = 0; first < kRows; first += kSize) {
      const Index count = std::min(kSize, kRows - first);
      Batch batch;
      batch.inputs = world.all.inputs.middleCols(first, count);
      batch.targets = world.all.targets.middleCols(first, count);
      const Answer answer = fold.Predict(batch, options);
      for (Index i = 0; i < count && first >= kFirst; ++i) {
        const std::size_t gaps = world.gaps[static_cast<std::size_t>(first + i)];
        if (gaps > kMostGaps) continue;
        const double y = batch.targets(0, i);
        groups[gaps].rows += 1;
        groups[gaps].inside += answer["lower"](0, i) <= y && y <= answer["upper"](0, i) ? 1 : 0;
        groups[gaps].deviation +=
            std::sqrt(answer["epistemic_variance"](0, i) + answer["aleatoric_variance"](0, i));
      }
      fold.Learn(batch);
    }
  }
  const std::string name = absl::StrFormat("%s, %s", model.name.empty() ? "linear" : model.name,
                                           dynamics.empty() ? "default" : dynamics);
  for (std::size_t gaps = 0; gaps <= kMostGaps; ++gaps) {
    const Group& group = groups[gaps];
    const double share = group.inside / group.rows;
    report.Add({absl::StrFormat("%s, %d gaps: 90 %% intervals hold, less 0.9", name, gaps),
                std::abs(share - 0.9), 0, 0.03, Direction::kAtMost,
                absl::StrFormat("%.3f of %.0f rows; mean deviation %.2f", share, group.rows,
                                group.deviation / group.rows)});
  }
}

}  // namespace

void TruthMissing(Report& report) {
  report.Section("Rows by how many of their inputs are missing");
  report.Describe(absl::StrFormat(
      "y = 2 x₁ + x₂ − x₃ + N(0, ½²), x of N(0, I) of which a tenth is missing, in minibatches of "
      "%d; rows %d to %d of two seeds. With nothing missing the deviation of what can be known is "
      "0.5, with one input missing 1.12 or 2.06.",
      kSize, kFirst, kRows));
  for (const char* dynamics : {"", "static"}) {
    AddModel(dynamics, {}, report);
    AddModel(dynamics, {"mlp", {}}, report);
  }
}

}  // namespace prequel::accept
