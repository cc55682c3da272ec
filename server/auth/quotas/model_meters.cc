#include "server/auth/quotas/model_meters.h"

#include <algorithm>

namespace prequel {

std::shared_ptr<Meter> ModelMeters::Of(std::string_view model, Meter::Clock::time_point now) {
  MutexLock lock(mu_);
  const auto found = meters_.find(model);
  if (found != meters_.end()) return found->second;
  if (!exists_(model)) return nullptr;
  if (meters_.size() >= most_) Forget(now);
  std::string name(model);
  auto meter = std::make_shared<Meter>("models/" + name);
  meters_.emplace(std::move(name), meter);
  return meter;
}

// Forget holds the lock, so nobody can come to have a meter that only the table has.
void ModelMeters::Forget(Meter::Clock::time_point now) {
  std::erase_if(meters_, [&](const auto& entry) {
    const auto& [model, meter] = entry;
    return meter.use_count() == 1 && (meter->IsAsNew(now) || !exists_(model));
  });
  most_ = std::max(kFew, 2 * meters_.size());
}

std::size_t ModelMeters::size() const {
  MutexLock lock(mu_);
  return meters_.size();
}

}  // namespace prequel
