// A bounded map that forgets what was touched longest ago.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace prequel {

// What a RecencyTable holds is a function of the sequence of Touch calls. One thread at a time.
template <class Value>
class RecencyTable {
 public:
  using Entry = std::pair<std::string, Value>;
  using Entries = std::list<Entry>;

  explicit RecencyTable(std::size_t max_entries) : max_entries_(max_entries) {}
  RecencyTable(const RecencyTable& other)
      : max_entries_(other.max_entries_), entries_(other.entries_) {
    index_.reserve(entries_.size());
    for (auto it = entries_.begin(); it != entries_.end(); ++it) index_.emplace(it->first, it);
  }
  RecencyTable& operator=(const RecencyTable& other) {
    if (this != &other) *this = RecencyTable(other);
    return *this;
  }
  RecencyTable(RecencyTable&&) noexcept = default;
  RecencyTable& operator=(RecencyTable&&) noexcept = default;

  // Touch makes the value of `id` the newest and returns it; created if there is no such value, for
  // which the oldest may go.
  Value& Touch(std::string_view id) {
    if (const auto it = index_.find(id); it != index_.end()) {
      entries_.splice(entries_.end(), entries_, it->second);
      return it->second->second;
    }
    if (entries_.size() == max_entries_) DropOldest();
    entries_.emplace_back(std::string(id), Value());
    index_.emplace(entries_.back().first, std::prev(entries_.end()));
    return entries_.back().second;
  }

  // Find touches nothing; null when there is no such value.
  const Value* Find(std::string_view id) const {
    const auto it = index_.find(id);
    return it == index_.end() ? nullptr : &it->second->second;
  }

  // REQUIRES of both: there is an entry.
  Entry& oldest() { return entries_.front(); }
  void DropOldest() {
    index_.erase(entries_.front().first);
    entries_.pop_front();
  }

  const Entries& entries() const { return entries_; }  // oldest first

 private:
  std::size_t max_entries_;
  Entries entries_;
  std::unordered_map<std::string_view, typename Entries::iterator> index_;  // keys in entries_
};

}  // namespace prequel
