#include "server/engine/actor/registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {

void Registry::Insert(Entry model) {
  MutexLock lock(mu_);
  std::string name = model->stored().name;
  models_.emplace(std::move(name), std::move(model));
}

void Registry::Erase(std::string_view name) {
  Entry erased;  // destroyed without the lock
  MutexLock lock(mu_);
  const auto it = models_.find(name);
  if (it == models_.end()) return;
  erased = std::move(it->second);
  models_.erase(it);
}

absl::StatusOr<Registry::Entry> Registry::Find(std::string_view name) const {
  MutexLock lock(mu_);
  const auto it = models_.find(name);
  if (it != models_.end()) return it->second;
  return absl::NotFoundError(absl::StrCat("model ", Quoted(name), " does not exist"));
}

std::vector<Registry::Entry> Registry::List(std::string_view after, std::size_t limit) const {
  std::vector<Entry> models;
  MutexLock lock(mu_);
  for (auto it = models_.upper_bound(after); it != models_.end() && models.size() < limit; ++it) {
    models.push_back(it->second);
  }
  return models;
}

std::size_t Registry::size() const {
  MutexLock lock(mu_);
  return models_.size();
}

absl::Status CheckModelName(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto admissible = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  if (!name.empty() && name.size() <= 63 && letter(name.front()) &&
      std::all_of(name.begin(), name.end(), admissible)) {
    return absl::OkStatus();
  }
  return FieldError("model_id",
                    absl::StrCat("must be 1 to 63 lower-case letters, digits and hyphens, "
                                 "starting with a letter, got ",
                                 Quoted(name)));
}

}  // namespace prequel
