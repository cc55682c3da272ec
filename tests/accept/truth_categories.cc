// Categories of which little or nothing has been seen.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/random/philox.h"
#include "tests/accept/folding.h"
#include "tests/accept/in_parallel.h"
#include "tests/accept/truth.h"

namespace prequel::accept {
namespace {

constexpr Index kRows = 5000, kCategories = 200, kFirst = 500;
constexpr double kEffects = 3, kNoise = 0.5;
constexpr std::uint64_t kSeeds = 10;
constexpr std::size_t kMostSeen = 2;  // times that are looked at by themselves

struct Seen {
  double rows = 0, inside = 0;
};

struct Found {
  double nll = 0;
  std::vector<Seen> by_times = std::vector<Seen>(kMostSeen + 2);
};

// Of category k with probability ∝ 1/(k + 1): one after the other, drawn by inversion.
std::vector<Index> ZipfCategories(std::uint64_t seed) {
  std::vector<double> below;
  double sum = 0;
  for (Index k = 0; k < kCategories; ++k) below.push_back(sum += 1 / static_cast<double>(k + 1));
  Vector u(kRows);
  FillUniform(Stream{seed, 0, 1}, u);
  std::vector<Index> drawn;
  for (Index i = 0; i < kRows; ++i) {
    const auto at = std::upper_bound(below.begin(), below.end(), u[i] * sum);
    drawn.push_back(std::min<Index>(at - below.begin(), kCategories - 1));
  }
  return drawn;
}

Found FoldOne(const std::string& dynamics, std::uint64_t seed) {
  const std::vector<Index> categories = ZipfCategories(seed);
  Vector effects(kCategories), noise(kRows);
  FillNormal(Stream{seed, 0, 2}, effects);
  FillNormal(Stream{seed, 0, 3}, noise);
  LearnerConfig config;
  config.features = {
      {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = kCategories}};
  config.likelihood.name = "gaussian";
  config.dynamics.name = dynamics;
  Folding fold(config);
  PredictOptions options;
  options.queries = {{"interval", {{"levels", std::vector<double>{0.9}}}}};
  std::vector<std::size_t> times(kCategories);
  Found found;
  for (Index i = 0; i < kRows; ++i) {
    const auto category = static_cast<std::size_t>(categories[static_cast<std::size_t>(i)]);
    const double y = kEffects * effects[static_cast<Index>(category)] + kNoise * noise[i];
    Batch row;
    row.inputs.resize(0, 1);
    row.text = {{absl::StrCat("c", category)}};
    row.targets.setConstant(1, 1, y);
    if (i >= kFirst) {
      const Answer answer = fold.Predict(row, options);
      Seen& seen = found.by_times[std::min(times[category], kMostSeen + 1)];
      seen.rows += 1;
      seen.inside += answer["lower"](0, 0) <= y && y <= answer["upper"](0, 0) ? 1 : 0;
    }
    fold.Learn(row);
    ++times[category];
  }
  found.nll = fold.scores()["nll"];
  return found;
}

void AddDynamics(const std::string& dynamics, Report& report) {
  const std::string name = dynamics.empty() ? "default" : dynamics;
  std::vector<Found> found(kSeeds);
  InParallel(kSeeds, [&](std::size_t seed) { found[seed] = FoldOne(dynamics, seed + 1); });
  Found all;
  for (const Found& one : found) {
    all.nll += one.nll / static_cast<double>(kSeeds);
    for (std::size_t t = 0; t < all.by_times.size(); ++t) {
      all.by_times[t].rows += one.by_times[t].rows;
      all.by_times[t].inside += one.by_times[t].inside;
    }
  }
  const char* kTimes[] = {"never", "once", "twice", "more often"};
  for (std::size_t t = 0; t < all.by_times.size(); ++t) {
    const double share = all.by_times[t].inside / all.by_times[t].rows;
    report.Add({absl::StrCat(name, ", seen ", kTimes[t], ": off 90 %"), std::abs(share - 0.9), 0,
                0.03, Direction::kAtMost,
                absl::StrFormat("%.3f of %.0f rows", share, all.by_times[t].rows)});
  }
  report.Add({absl::StrCat(name, ": NLL"), all.nll, 0, 0.86, Direction::kAtMost, ""});
}

}  // namespace

void TruthCategories(Report& report) {
  report.Section("Categories by how often they were seen");
  report.Describe(absl::StrFormat(
      "%d categories of frequencies 1/k, effects N(0, %g²), noise of deviation %g; %d rows, one by "
      "one, asked before they are learned; 90 %% intervals from row %d on, seeds 1 to %d.",
      kCategories, kEffects, kNoise, kRows, kFirst, kSeeds));
  for (const char* dynamics : {"", "static"}) AddDynamics(dynamics, report);
}

}  // namespace prequel::accept
