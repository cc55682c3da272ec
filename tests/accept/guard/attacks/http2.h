// Frames of HTTP/2 by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prequel::accept {

enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kResetStream = 3,
  kSettings = 4,
  kWindowUpdate = 8
};

// What a client says first, with settings as they are.
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Four bytes, the highest first.
std::uint32_t Load(const char* bytes);
std::string Store(std::uint32_t value);

std::string FrameOf(FrameType type, std::uint8_t flags, std::uint32_t stream,
                    const std::string& payload);

// A call of `method` begins on `stream`. `token` empty: none is shown.
std::string HeadersOf(std::uint32_t stream, std::string_view method, const std::string& token);

}  // namespace prequel::accept
