// A caller's name for its call, by which the call is found again in the logs of everything that it
// passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prequel {

// kRequestIdHeader is its name in gRPC's metadata and in HTTP.
inline constexpr char kRequestIdHeader[] = "x-request-id";
inline constexpr std::size_t kMaxRequestId = 128;

// The request id in such a header: visible ASCII, which can stand in any log and be sent back.
// Empty when there is no header, or it is something else.
inline std::string_view RequestIdOf(std::string_view header) {
  const bool good =
      header.size() <= kMaxRequestId &&
      std::all_of(header.begin(), header.end(), [](char c) { return c > ' ' && c <= '~'; });
  return good ? header : std::string_view();
}

}  // namespace prequel
