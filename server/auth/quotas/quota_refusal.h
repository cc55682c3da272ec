// What is said to a call beyond a quota.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace prequel {

struct QuotaRefusal {
  std::string quota;                         // which, by its name in the policy
  std::string owner;                         // whose: "ingest", a principal, or "models/moons"
  std::chrono::milliseconds retry_after{0};  // when it is worth trying again
};

// RESOURCE_EXHAUSTED, with all that the refusal says; `what` is for people.
absl::Status QuotaError(const QuotaRefusal& refusal, std::string_view what);
// What such an error says.
std::optional<QuotaRefusal> QuotaRefusalOf(const absl::Status& status);

}  // namespace prequel
