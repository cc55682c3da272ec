// The meters of models, each by its model's name.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/auth/quotas/meter.h"
#include "server/sync/mutex.h"

namespace prequel {

// ModelMeters knows no policy, so what is in use stays when that changes. A meter that is as new
// may be forgotten, and so may that of a model that is no more: there are never more than twice as
// many as models that exist and calls in progress, except for the first few. Thread-safe.
class ModelMeters {
 public:
  using Exists = std::function<bool(std::string_view model)>;

  // `exists` is called on any thread, and must not ask for a meter.
  explicit ModelMeters(Exists exists) : exists_(std::move(exists)) {}

  // The meter of `model`: the same one as long as anybody has it, or anything is owed. Null when
  // there is no such model: names that clients make up take no memory.
  std::shared_ptr<Meter> Of(std::string_view model,
                            Meter::Clock::time_point now = Meter::Clock::now());

  std::size_t size() const;

 private:
  void Forget(Meter::Clock::time_point now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  static constexpr std::size_t kFew = 64;  // that nobody looks over

  const Exists exists_;
  mutable Mutex mu_;
  std::map<std::string, std::shared_ptr<Meter>, std::less<>> meters_ ABSL_GUARDED_BY(mu_);
  std::size_t most_ ABSL_GUARDED_BY(mu_) = kFew;  // when there are more, they are looked over
};

}  // namespace prequel
