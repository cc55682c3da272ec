// The hosted models by name.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/engine/actor/model_actor.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe.
class Registry {
 public:
  using Entry = std::shared_ptr<ModelActor>;

  void Insert(Entry model);
  void Erase(std::string_view name);
  absl::StatusOr<Entry> Find(std::string_view name) const;  // NOT_FOUND
  // Up to `limit` models whose names sort after `after`, in order.
  std::vector<Entry> List(std::string_view after, std::size_t limit) const;
  std::size_t size() const;

 private:
  mutable Mutex mu_;
  std::map<std::string, Entry, std::less<>> models_ ABSL_GUARDED_BY(mu_);
};

// INVALID_ARGUMENT unless `name` is 1 to 63 lower-case letters, digits and hyphens, starting with
// a letter.
absl::Status CheckModelName(std::string_view name);

}  // namespace prequel
