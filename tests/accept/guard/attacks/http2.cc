#include "tests/accept/guard/attacks/http2.h"

namespace prequel::accept {
namespace {

constexpr std::uint8_t kEndOfHeaders = 4;

// A header field, neither indexed nor compressed.
std::string Field(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  for (const std::string_view part : {name, value}) {
    field += static_cast<char>(part.size());
    field += part;
  }
  return field;
}

}  // namespace

std::uint32_t Load(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string Store(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string FrameOf(FrameType type, std::uint8_t flags, std::uint32_t stream,
                    const std::string& payload) {
  return Store(static_cast<std::uint32_t>(payload.size())).substr(1) + static_cast<char>(type) +
         static_cast<char>(flags) + Store(stream) + payload;
}

std::string HeadersOf(std::uint32_t stream, std::string_view method, const std::string& token) {
  return FrameOf(kHeaders, kEndOfHeaders, stream,
                 Field(":method", "POST") + Field(":scheme", "http") + Field(":path", method) +
                     Field(":authority", "x") + Field("content-type", "application/grpc") +
                     Field("te", "trailers") +
                     (token.empty() ? "" : Field("authorization", "Bearer " + token)));
}

}  // namespace prequel::accept
