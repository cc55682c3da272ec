// The posterior families that a rule can update.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"

namespace prequel {

// Families names the first of them, and all as '"a" or "b"'.
struct Families {
  std::string first, all;
};
Families FamiliesOf(const Rule& rule);

// CheckFamily is OK when the family of `posterior` is one of them. Else INVALID_ARGUMENT
// (config.rule).
absl::Status CheckFamily(const Rule& rule, const Posterior& posterior);

}  // namespace prequel
