// The text of a policy: one small block for each principal, and one for models that have limits.
//
//   # who may do what
//   [ingest]
//   token = sha256:9f86d081…           # or several, while one replaces another
//   certificate = uri:spiffe://prod/ingest
//   role = learn
//   models = sensor-*, demo
//   expires = 2027-01-31T00:00:00Z
//   rows_per_second = 100000
//   share = 200
//
//   [models/sensor-*]                  # each model that fits by itself
//   calls_in_flight = 64
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/auth/policy.h"

namespace prequel {

struct PolicyBlocks {
  std::vector<Principal> principals;
  std::vector<ModelLimits> models;
};

// INVALID_ARGUMENT names line and field, and says what would be right. It never repeats a value of
// `token`, where somebody may have written the token itself.
absl::StatusOr<PolicyBlocks> ParsePolicy(std::string_view text);

}  // namespace prequel
