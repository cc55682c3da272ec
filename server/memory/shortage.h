// RESOURCE_EXHAUSTED for want of memory, with the numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace prequel {

// All in bytes.
struct Shortage {
  std::string budget;       // "in_flight" or "models"
  std::int64_t wanted = 0;  // by what was refused
  std::int64_t yours = 0;   // what its caller has already; 0 of models, which are nobody's
  std::int64_t used = 0;    // of the budget
  std::int64_t limit = 0;
  std::chrono::milliseconds retry_after{0};  // 0: waiting does not help
};

absl::Status ShortageError(const Shortage& shortage);
// What such an error says.
std::optional<Shortage> ShortageOf(const absl::Status& status);

}  // namespace prequel
