#include "core/predictive/queries/quantiles.h"

namespace prequel {

absl::Status Quantiles::Configure(Options& options) {
  options.Describe("quantiles [rows, T, levels]", "a search for each level");
  constexpr std::size_t kMaxLevels = 99;
  options.Help("of the quantiles").Increasing("levels", &levels, 0, 1, kMaxLevels);
  return options.Finish();
}

std::vector<Output> Quantiles::Outputs(const Asked& asked) const {
  return {{.name = "quantiles",
           .shape = {asked.targets, static_cast<Index>(levels.size())},
           .levels = levels}};
}

void Quantiles::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    Index row = 0;
    for (Index t = 0; t < predictive.num_targets(); ++t) {
      const Distribution& d = predictive.CondensedAt(t, i);
      for (const double level : levels) out[0].values(row++, first + i) = d.Quantile(level);
    }
  }
}

}  // namespace prequel
