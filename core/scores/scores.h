// Averages of proper scores and of calibration, by name.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <string_view>

namespace prequel {

struct NamedScore {
  std::string_view name;  // as it stands in the table (scores/score_table.h)
  double value = 0;
};

// Scores holds those that apply, in the order of the table. Never allocates.
class Scores {
 public:
  static constexpr std::size_t kMost = 16;

  double examples = 0;  // the (weighted) count behind the averages

  // REQUIRES: `name` lives as long as the program.
  void Add(std::string_view name, double value) {
    assert(size_ < kMost);
    scores_[size_++] = {name, value};
  }
  bool Has(std::string_view name) const {
    for (const NamedScore& score : *this) {
      if (score.name == name) return true;
    }
    return false;
  }
  // The average of that score; NaN when it does not apply.
  double operator[](std::string_view name) const {
    for (const NamedScore& score : *this) {
      if (score.name == name) return score.value;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  std::size_t size() const { return size_; }
  const NamedScore* begin() const { return scores_.data(); }
  const NamedScore* end() const { return scores_.data() + size_; }

 private:
  std::array<NamedScore, kMost> scores_;
  std::size_t size_ = 0;
};

}  // namespace prequel
