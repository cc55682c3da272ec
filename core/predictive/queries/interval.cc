#include "core/predictive/queries/interval.h"

namespace prequel {

absl::Status Interval::Configure(Options& options) {
  options.Describe("central intervals: lower, upper [rows, T, levels]",
                   "two searches for each level");
  constexpr std::size_t kMaxLevels = 49;
  options.Help("probabilities of the central intervals")
      .Increasing("levels", &levels, 0, 1, kMaxLevels);
  return options.Finish();
}

std::vector<Output> Interval::Outputs(const Asked& asked) const {
  const std::vector<Index> shape = {asked.targets, static_cast<Index>(levels.size())};
  return {{.name = "lower", .shape = shape, .levels = levels},
          {.name = "upper", .shape = shape, .levels = levels}};
}

void Interval::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    Index row = 0;
    for (Index t = 0; t < predictive.num_targets(); ++t) {
      const Distribution& d = predictive.CondensedAt(t, i);
      for (const double level : levels) {
        out[0].values(row, first + i) = d.Quantile(0.5 * (1 - level));
        out[1].values(row, first + i) = d.Quantile(0.5 * (1 + level));
        ++row;
      }
    }
  }
}

}  // namespace prequel
