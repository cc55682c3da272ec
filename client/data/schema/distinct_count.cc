#include "client/data/schema/distinct_count.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "client/random.h"

namespace prequel::client {
namespace {

constexpr std::size_t kKept = 512;  // k

}  // namespace

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = Scatter(text.size());
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(8, text.size()))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), std::min<std::size_t>(8, text.size()));
    hash = Scatter(hash ^ word);
  }
  return hash;
}

void DistinctCount::Add(std::uint64_t hash) {
  const auto at = std::lower_bound(smallest_.begin(), smallest_.end(), hash);
  if (at == smallest_.end() ? smallest_.size() == kKept : *at == hash) return;
  smallest_.insert(at, hash);
  if (smallest_.size() > kKept) smallest_.pop_back();
}

bool DistinctCount::exact() const { return smallest_.size() < kKept; }

std::int64_t DistinctCount::count() const {
  if (exact()) return static_cast<std::int64_t>(smallest_.size());
  const double share = std::ldexp(static_cast<double>(smallest_.back()), -64);
  return std::llround((kKept - 1) / share);
}

}  // namespace prequel::client
