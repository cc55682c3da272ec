// Text values in order of first appearance.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace prequel {

inline constexpr Index kMaxTextBytes = 1024;  // of one categorical value or class label

// CategoryTable holds in slot i the i-th distinct value, as it was spelled first: a value that is
// spelled otherwise (Spelled) is the same. States share tables by shared_ptr<const CategoryTable>;
// whoever needs one more value copies the table and publishes the copy.
class CategoryTable {
 public:
  CategoryTable() = default;
  // FromValues is DATA_LOSS when one of `values` is there twice, however it is spelled, or is too
  // long.
  static absl::StatusOr<CategoryTable> FromValues(const std::vector<std::string>& values);

  Index size() const { return static_cast<Index>(values_.size()); }
  const std::vector<std::string>& values() const { return values_; }

  // Find returns the slot of `value`, or −1.
  Index Find(std::string_view value) const;
  // REQUIRES: Find(value) < 0.
  void Append(std::string_view value);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view value) const noexcept;
  };
  using Slots = std::unordered_map<std::string, Index, Hash, std::equal_to<>>;

  std::vector<std::string> values_;
  Slots slots_;  // by Spelled(value)
};

using SharedTable = std::shared_ptr<const CategoryTable>;  // never null

// AppendNew appends those of `values` that `table` lacks, in order, until it holds `capacity`; the
// empty value is skipped when `skip_empty`. Copies the table at most once, and only when there is
// something to append.
void AppendNew(const std::vector<std::string>& values, Index capacity, bool skip_empty,
               SharedTable& table);

}  // namespace prequel
