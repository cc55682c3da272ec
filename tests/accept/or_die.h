// Acceptance runs have no use for half a result.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace prequel::accept {

// Aborts on an error, which `what` went before.
inline void OrDie(const absl::Status& status, const std::string& what = "prequel_accept") {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), status.ToString().c_str());
  std::exit(2);
}

template <class T>
T OrDie(absl::StatusOr<T> value, const std::string& what = "prequel_accept") {
  OrDie(value.status(), what);
  return *std::move(value);
}

}  // namespace prequel::accept
