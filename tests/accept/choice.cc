#include "tests/accept/choice.h"

#include <algorithm>
#include <utility>

#include "tests/accept/data_file.h"

namespace prequel::accept {
namespace {

// Nats over all rows that were scored.
double TotalNll(const Folding& fold) {
  const Tally& tally = fold.state().evaluation.cumulative;
  return tally.weight() > 0 ? tally.weight() * tally.Average()["nll"] : 0;
}

}  // namespace

Leader::Leader(const LearnerConfig& config, std::vector<Setting> settings)
    : settings_(std::move(settings)) {
  for (const Setting& setting : settings_) {
    LearnerConfig own = config;
    setting.apply(own);
    folds_.emplace_back(own);
  }
  answered_ = Tally(best().state().evaluation.cumulative.kind());
}

void Leader::Learn(const Batch& rows) {
  Tally fresh = best().state().evaluation.cumulative;
  fresh.Scale(-1);
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    folds_[k].LearnAll(rows, settings_[k].batch);
  }
  fresh.Add(best().state().evaluation.cumulative);
  answered_.Add(fresh);
  const auto least =
      std::min_element(folds_.begin(), folds_.end(),
                       [](const auto& a, const auto& b) { return TotalNll(a) < TotalNll(b); });
  leader_ = static_cast<std::size_t>(least - folds_.begin());
}

void Leader::LearnAll(const Batch& rows, Index size) {
  ForEachMinibatch(rows, size, [&](const Batch& some) { Learn(some); });
}

Scores Leader::scores() const { return answered_.Average(); }

}  // namespace prequel::accept
