// What a caller calls its call, so that it is found again in the logs of everything that it passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prequel {

// Of gRPC's metadata and of HTTP.
inline constexpr char kRequestIdHeader[] = "x-request-id";
inline constexpr std::size_t kMaxRequestId = 128;

// What such a header holds: visible ASCII, which can stand in any log and be sent back. Empty when
// there is none, or it is something else.
inline std::string_view RequestIdOf(std::string_view header) {
  const bool good =
      header.size() <= kMaxRequestId &&
      std::all_of(header.begin(), header.end(), [](char c) { return c > ' ' && c <= '~'; });
  return good ? header : std::string_view();
}

}  // namespace prequel
