// A queue that serves whoever has used least: start-time fair queueing (Goyal, Vin, Cheng 1996).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace prequel {

// Items wait in lines, one for each name, first come, first served within a line. The line whose
// items have used least is next:
//
//   used_l ← max(used_l, floor) as line l comes back,   used_l ← used_l + cost as it is charged
//
// where floor is what the line served last had used: whoever was away has saved up nothing, and
// whoever has had much comes back behind the others. Not thread-safe.
template <class Item>
class FairQueue {
 public:
  void Push(std::string_view name, Item item) { Enter(name).items.push_back(std::move(item)); }
  // Before the others of its line: one that goes on, not one that begins.
  void PushFront(std::string_view name, Item item) {
    Enter(name).items.push_front(std::move(item));
  }

  // The next item that `may` begin, with its line's name: of each line the first is asked about.
  template <class May>
  std::optional<std::pair<std::string, Item>> Pop(const May& may) {
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
      Line& line = *std::get<Line*>(*it);
      if (!may(line.name, line.items.front())) continue;
      waiting_.erase(it);
      std::pair<std::string, Item> popped(line.name, std::move(line.items.front()));
      line.items.pop_front();
      --size_;
      floor_ = std::max(floor_, line.used);
      if (!line.items.empty()) {
        line.order = ++pushed_;
        waiting_.insert(KeyOf(line));
      }
      return popped;
    }
    return std::nullopt;
  }

  // What an item of the line has used.
  void Charge(std::string_view name, double cost) {
    Line& line = Find(name);
    const bool waits = !line.items.empty();
    if (waits) waiting_.erase(KeyOf(line));
    line.used = std::max(line.used, floor_) + cost;
    if (waits) waiting_.insert(KeyOf(line));
  }

  std::size_t size() const { return size_; }
  std::size_t SizeOf(std::string_view name) const {
    const auto it = lines_.find(name);
    return it == lines_.end() ? 0 : it->second.items.size();
  }

  // Takes everything out, in no particular order.
  std::deque<Item> Clear() {
    std::deque<Item> all;
    for (auto& [name, line] : lines_) {
      for (Item& item : line.items) all.push_back(std::move(item));
    }
    waiting_.clear();
    lines_.clear();
    size_ = 0;
    return all;
  }

 private:
  struct Line;
  // Where one more item is about to be.
  Line& Enter(std::string_view name) {
    Line& line = Find(name);
    if (line.items.empty()) {
      line.used = std::max(line.used, floor_);
      line.order = ++pushed_;
      waiting_.insert(KeyOf(line));
    }
    ++size_;
    return line;
  }

  struct Line {
    std::string name;
    double used = 0;
    std::uint64_t order = 0;  // of two that have used the same, the one that waits longer
    std::deque<Item> items;
  };
  using Key = std::tuple<double, std::uint64_t, Line*>;

  static constexpr std::size_t kManyLines = 4096;

  static Key KeyOf(Line& line) { return {line.used, line.order, &line}; }

  Line& Find(std::string_view name) {
    const auto it = lines_.find(name);
    if (it != lines_.end()) return it->second;
    if (lines_.size() >= forget_at_) Forget();
    Line& line = lines_[std::string(name)];
    line.name = name;
    return line;
  }

  // Lines that would come back as if they were new.
  void Forget() {
    std::erase_if(lines_, [this](const auto& entry) {
      return entry.second.items.empty() && entry.second.used <= floor_;
    });
    forget_at_ = std::max(kManyLines, 2 * lines_.size());
  }

  std::map<std::string, Line, std::less<>> lines_;
  std::set<Key> waiting_;  // lines with items
  std::size_t size_ = 0;
  std::size_t forget_at_ = kManyLines;
  std::uint64_t pushed_ = 0;
  double floor_ = 0;
};

}  // namespace prequel
