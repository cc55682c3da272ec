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
#include <vector>

namespace prequel {

// The share of a line that nobody has given another one. Shares are relative: a line of 200 has
// twice as much.
inline constexpr int kEvenShare = 100;

// First come, first served.
template <class Item>
class Fifo {
 public:
  using Popped = Item;

  void Push(Item item) { items_.push_back(std::move(item)); }
  void PushFront(Item item) { items_.push_front(std::move(item)); }
  template <class May>
  std::optional<Item> Pop(const May& may) {
    if (items_.empty() || !may(items_.front())) return std::nullopt;
    std::optional<Item> popped = std::move(items_.front());
    items_.pop_front();
    return popped;
  }
  void Charge(double /*cost*/, int /*share*/) {}
  void ChargeSoFar(double /*cost*/, int /*share*/) {}
  std::size_t size() const { return items_.size(); }

 private:
  std::deque<Item> items_;
};

// Items wait in lines, one for each name. The line whose items have used least is next:
//
//   used_l ← max(used_l, floor)           as line l comes back
//   used_l ← used_l + cost · 100 / share  as it is charged
//
// where floor is what the line served last had used: a line that was away has saved up nothing, and
// one that has had much comes back behind the others. A line comes back when an item is pushed
// while none of its items waits or is out; an item is out from when it is popped until it is
// charged for all that it used.
//
// `Line` is a Fifo, or lines again: an item then has two names, and what the first has is shared
// evenly among the second. Not thread-safe.
//
// About kMostAway of the lines that are away are remembered. Those that have used the least are
// forgotten, and the floor is raised to what they had used: nobody gains by being forgotten, and
// new names without end neither fill the memory nor go before a line that waits for ever.
template <class Line, std::size_t kMostAway = 4096>
class FairLines {
 public:
  using Popped = std::pair<std::string, typename Line::Popped>;

  // `item` is what the line takes: an item, after its further names if it has any.
  template <class... Rest>
  void Push(std::string_view name, Rest&&... item) {
    Enter(name).items.Push(std::forward<Rest>(item)...);
  }
  // PushFront puts the item before the others of its line: for one that goes on, not one that
  // begins.
  template <class... Rest>
  void PushFront(std::string_view name, Rest&&... item) {
    Enter(name).items.PushFront(std::forward<Rest>(item)...);
  }

  // Pop gives the next item that `may` lets begin, with its names. It is to be charged, once.
  template <class May>
  std::optional<Popped> Pop(const May& may) {
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
      Entry& line = *std::get<Entry*>(*it);
      auto item = line.items.Pop([&](const auto&... rest) { return may(*line.name, rest...); });
      if (!item) continue;
      waiting_.erase(it);
      --size_;
      ++line.out;
      floor_ = std::max(floor_, line.used);
      if (line.items.size() > 0) {
        line.order = ++pushed_;
        waiting_.insert(KeyOf(line));
      }
      return Popped(*line.name, *std::move(item));
    }
    return std::nullopt;
  }

  // Charge: an item that is out has used `cost`, and is out no longer. `share`: what the line
  // `name` may have; `rest`: the item's further names, which share evenly. REQUIRES: share > 0.
  template <class... Rest>
  void Charge(double cost, int share, std::string_view name, const Rest&... rest) {
    Entry& line = Find(name);
    Use(line, cost, share);
    line.items.Charge(cost, kEvenShare, rest...);
    --line.out;
  }
  // ChargeSoFar charges an item that stays out, and is to be charged for the rest.
  template <class... Rest>
  void ChargeSoFar(double cost, int share, std::string_view name, const Rest&... rest) {
    Entry& line = Find(name);
    Use(line, cost, share);
    line.items.ChargeSoFar(cost, kEvenShare, rest...);
  }

  std::size_t size() const { return size_; }
  // How many lines are remembered.
  std::size_t lines() const { return lines_.size(); }

 private:
  struct Entry {
    const std::string* name = nullptr;
    double used = 0;
    std::uint64_t order = 0;  // of two that have used the same, the one that waits longer
    std::size_t out = 0;
    Line items;

    bool away() const { return out == 0 && items.size() == 0; }
  };
  using Key = std::tuple<double, std::uint64_t, Entry*>;

  static Key KeyOf(Entry& line) { return {line.used, line.order, &line}; }

  void Use(Entry& line, double cost, int share) {
    const bool waits = line.items.size() > 0;
    if (waits) waiting_.erase(KeyOf(line));
    line.used += cost * kEvenShare / share;
    if (waits) waiting_.insert(KeyOf(line));
  }

  // Enter gives the line in which one more item is about to be.
  Entry& Enter(std::string_view name) {
    Entry& line = Find(name);
    if (line.away()) line.used = std::max(line.used, floor_);
    if (line.items.size() == 0) {
      line.order = ++pushed_;
      waiting_.insert(KeyOf(line));
    }
    ++size_;
    return line;
  }

  Entry& Find(std::string_view name) {
    const auto it = lines_.find(name);
    if (it != lines_.end()) return it->second;
    if (lines_.size() >= forget_at_) Forget();
    const auto added = lines_.try_emplace(std::string(name)).first;
    added->second.name = &added->first;
    return added->second;
  }

  void Forget() {
    constexpr std::size_t kKept = kMostAway / 2;
    std::vector<double> used;
    for (const auto& [name, line] : lines_) {
      if (line.away()) used.push_back(line.used);
    }
    if (used.size() > kKept) {
      const auto last = used.end() - kKept - 1;
      std::nth_element(used.begin(), last, used.end());
      floor_ = std::max(floor_, *last);
    }
    std::erase_if(lines_, [this](const auto& entry) {
      return entry.second.away() && entry.second.used <= floor_;
    });
    forget_at_ = std::max(kMostAway, 2 * lines_.size());
  }

  std::map<std::string, Entry, std::less<>> lines_;
  std::set<Key> waiting_;  // lines with items
  std::size_t size_ = 0;
  std::size_t forget_at_ = kMostAway;
  std::uint64_t pushed_ = 0;
  double floor_ = 0;
};

template <class Item>
using FairQueue = FairLines<Fifo<Item>>;

}  // namespace prequel
