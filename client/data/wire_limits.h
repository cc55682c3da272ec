// What the service takes: known here so that an error can name line and column.
#pragma once

#include <cstddef>

namespace prequel::client {

inline constexpr std::size_t kMaxTextBytes = 1024;  // of a category or a class label
inline constexpr double kMaxMagnitude = 1e100;      // of an input or a target
inline constexpr double kMostWeight = 1e6;          // of a row

}  // namespace prequel::client
