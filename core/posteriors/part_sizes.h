// How much the matrices of a posterior with some per layer hold.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

class PartSizes {
 public:
  // Add counts a matrix of width × width.
  void Add(Index width);

  // Check: INVALID_ARGUMENT (config.model) when one is wider than `most`, or all together too much,
  // for the posterior named `family`.
  absl::Status Check(std::string_view family, Index most) const;

 private:
  double entries_ = 0;
  Index widest_ = 0;
};

}  // namespace prequel
