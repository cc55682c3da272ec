// Default dynamics against whoever knew the best single rate beforehand, and against the last value
// again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accept/data_file.h"
#include "tests/accept/folding.h"
#include "tests/accept/made_streams.h"
#include "tests/accept/moving.h"

namespace prequel::accept {
namespace {

constexpr std::uint64_t kSeeds = 5;
// Of all weights per row, in prior variances.
constexpr std::array<double, 13> kRates = {0,    1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3,
                                           3e-3, 1e-2, 3e-2, 1e-1, 1,    10};

struct Nll {
  double served = 0, last = 0;
};

Nll NllOf(const DataFile& stream, Index size) {
  Folding fold(stream.config);
  fold.LearnAll(stream.rows, size);
  return {fold.scores()["nll"], fold.state().evaluation.last.cumulative.Average()["nll"]};
}

// Averages over the streams of all seeds.
void Compare(const std::string& name, Index size, const std::vector<DataFile>& streams,
             Report& report) {
  std::array<double, kRates.size()> by_rate{};
  Nll by_default;
  const double share = 1 / static_cast<double>(streams.size());
  for (const DataFile& stream : streams) {
    const Nll nll = NllOf(stream, size);
    by_default.served += share * nll.served;
    by_default.last += share * nll.last;
    for (std::size_t r = 0; r < kRates.size(); ++r) {
      DataFile fixed = stream;
      fixed.config.dynamics = {kRates[r] > 0 ? "inflation" : "static", {}};
      if (kRates[r] > 0) fixed.config.dynamics.options["rate"] = kRates[r];
      by_rate[r] += share * NllOf(fixed, size).served;
    }
  }
  const auto* best = std::min_element(by_rate.begin(), by_rate.end());
  const std::string title = absl::StrCat(name, ", ", size, " rows per minibatch");
  report.Add({absl::StrCat(title, ": NLL over the best single rate's"), by_default.served - *best,
              0, 0.01, Direction::kAtMost,
              absl::StrFormat("%.4f, by rate %g %.4f", by_default.served,
                              kRates[static_cast<std::size_t>(best - by_rate.begin())], *best)});
  report.Add({absl::StrCat(title, ": NLL over the last value's"),
              by_default.served - by_default.last, 0, 0, Direction::kAtMost,
              absl::StrFormat("the last value %.4f", by_default.last)});
}

void AddFile(const char* name, const char* likelihood, const std::vector<Index>& sizes,
             Report& report) {
  const auto path = DataPath(absl::StrCat("streams/", name, ".csv"));
  if (!path) return report.Skip(name, "PREQUEL_DATA_DIR has no streams/");
  const std::vector<DataFile> streams = {ReadDataFile(*path, "y", likelihood)};
  for (const Index size : sizes) {
    Compare(absl::StrCat(name, ", ", likelihood), size, streams, report);
  }
}

void AddMade(const char* name, WeightPath path, bool classes, Report& report) {
  std::vector<DataFile> streams;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    streams.push_back({MadeConfig(classes), MadeRows(path, classes, seed)});
  }
  for (const Index size : {1, 64}) Compare(name, size, streams, report);
}

}  // namespace

void MovingHindsight(Report& report) {
  report.Section("Streams that move: by default, and by the best single rate in hindsight");
  report.Describe(absl::StrCat(
      "Default dynamics know nothing of the stream. Against them is the best of ", kRates.size(),
      " rates of dynamics `inflation`, from 0 to 10 prior variances a row, chosen once the whole "
      "stream was seen; and the last target again, with the spread that it has had so far. Made "
      "streams: seeds 1 to ",
      kSeeds, "."));
  AddFile("elec2", "bernoulli", {1, 8, 64}, report);
  AddFile("pollution_beijing", "gaussian", {1, 8, 64}, report);
  AddFile("trump_approval", "gaussian", {1, 64}, report);
  AddMade("linear, weights switch", SwitchingWeights, false, report);
  AddMade("logistic, rotating", RotatingWeights, true, report);
}

}  // namespace prequel::accept
