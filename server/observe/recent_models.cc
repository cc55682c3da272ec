#include "server/observe/recent_models.h"

namespace prequel {

void RecentModels::OnUpdate(std::string_view model, Index /*rows*/, Duration /*duration*/,
                            const absl::Status& status) {
  Use(model, status.ok());
}

void RecentModels::OnPredict(std::string_view model, Index /*rows*/, Duration /*duration*/,
                             const absl::Status& /*status*/) {
  Use(model, false);
}

void RecentModels::OnReplayDone(std::string_view model, const absl::Status& status) {
  if (status.ok()) Use(model, false);
}

void RecentModels::Use(std::string_view model, bool learned) {
  if (most_ == 0) return;
  Entries spare;  // destroyed without the lock
  MutexLock lock(mu_);
  const auto known = places_.find(model);
  if (known != places_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
  } else {
    if (entries_.size() == most_) {
      places_.erase(entries_.back().name);
      spare.splice(spare.begin(), entries_, std::prev(entries_.end()));
    }
    entries_.push_front({std::string(model), std::nullopt});
    places_.emplace(entries_.front().name, entries_.begin());
  }
  if (learned) entries_.front().learned = Clock::now();
}

void RecentModels::Forget(std::string_view model) {
  MutexLock lock(mu_);
  const auto known = places_.find(model);
  if (known == places_.end()) return;
  entries_.erase(known->second);
  places_.erase(known);
}

std::vector<RecentModels::Entry> RecentModels::All() const {
  MutexLock lock(mu_);
  return {entries_.begin(), entries_.end()};
}

}  // namespace prequel
