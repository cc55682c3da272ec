// Rows of a minibatch that are left out because their label is no class of the model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

struct RefusedRow {
  Index row = 0;       // in the minibatch, from 0
  std::string label;   // a text as Quoted has it, or a number in decimal
  std::string reason;  // what would be right
};

// RefusedRows counts all refused rows and names the first few, so that the list stays small however
// many they are.
struct RefusedRows {
  static constexpr std::size_t kMostNamed = 10;

  Index count = 0;
  std::vector<RefusedRow> first;  // min(count, kMostNamed), ascending by row
};

}  // namespace prequel
