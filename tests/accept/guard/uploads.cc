#include "tests/accept/guard/uploads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tests/accept/guard/wire.h"

namespace prequel::accept {
namespace {

constexpr std::int64_t kMessage = 15 << 20;
constexpr int kStreams = 250, kConnections = 4;
constexpr std::size_t kFrame = 16384;  // the longest that may be sent unasked
enum FrameType : std::uint8_t { kData = 0, kHeaders = 1, kSettings = 4, kWindowUpdate = 8 };

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

// A header field, neither indexed nor compressed.
std::string Field(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  for (const std::string_view part : {name, value}) {
    field += static_cast<char>(part.size());
    field += part;
  }
  return field;
}

std::string Headers(const std::string& token) {
  return Field(":method", "POST") + Field(":scheme", "http") +
         Field(":path", "/prequel.v1.LearningService/Predict") + Field(":authority", "x") +
         Field("content-type", "application/grpc") + Field("te", "trailers") +
         (token.empty() ? "" : Field("authorization", "Bearer " + token));
}

// One connection. Keeps to HTTP/2's flow control: the server lets all this in.
class Uploader {
 public:
  explicit Uploader(const Entrance& server)
      : wire_({.address = server.address, .ca = server.ca, .protocol = "h2"}) {
    wire_.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + FrameOf(kSettings, 0, 0, ""));
    for (int i = 0; i < kStreams; ++i) {
      const auto stream = static_cast<std::uint32_t>(2 * i + 1);
      wire_.Send(FrameOf(kHeaders, 4, stream, Headers(server.token)));
      streams_[stream] = {};
    }
  }

  // As much as may be sent; false once the server has ended the connection.
  bool Step() {
    bool sent = false;
    for (auto& [id, stream] : streams_) sent = Feed(id, stream) || sent;
    Read(sent ? 0 : 100);
    return !wire_.broken();
  }

 private:
  struct Stream {
    std::int64_t window = 65535, sent = 0;
  };

  bool Feed(std::uint32_t id, Stream& stream) {
    const std::int64_t room = std::min(
        {window_, stream.window, kMessage - 1 - stream.sent, static_cast<std::int64_t>(kFrame)});
    if (room < 16 || wire_.broken()) return false;
    std::string payload(static_cast<std::size_t>(room), '\1');
    if (stream.sent == 0) {
      payload.replace(0, 5, '\0' + Store(static_cast<std::uint32_t>(kMessage)));
    }
    wire_.Send(FrameOf(kData, 0, id, payload));
    window_ -= room;
    stream.window -= room;
    stream.sent += room;
    return true;
  }

  void Read(int wait_ms) {
    pending_ += wire_.Receive(wait_ms);
    while (pending_.size() >= 9) {
      const std::size_t length = Load(pending_.data()) >> 8;
      if (pending_.size() < 9 + length) break;
      Take(static_cast<std::uint8_t>(pending_[3]), Load(pending_.data() + 5),
           pending_.substr(9, length));
      pending_.erase(0, 9 + length);
    }
  }

  void Take(std::uint8_t type, std::uint32_t id, const std::string& payload) {
    if (type == kSettings && !payload.empty()) {
      for (std::size_t at = 0; at + 6 <= payload.size(); at += 6) {
        if (payload[at + 1] != 4) continue;  // the initial window
        const std::int64_t more = std::int64_t{Load(payload.data() + at + 2)} - 65535;
        for (auto& [ignored, stream] : streams_) stream.window += more;
      }
      wire_.Send(FrameOf(kSettings, 1, 0, ""));
    } else if (type == kWindowUpdate && id == 0) {
      window_ += Load(payload.data());
    } else if (type == kWindowUpdate) {
      if (const auto stream = streams_.find(id); stream != streams_.end()) {
        stream->second.window += Load(payload.data());
      }
    }
  }

  Wire wire_;
  std::int64_t window_ = 65535;
  std::map<std::uint32_t, Stream> streams_;
  std::string pending_;
};

}  // namespace

std::unique_ptr<Attack> EndlessUploads(const Entrance& server) {
  auto uploaders = std::make_shared<std::vector<std::unique_ptr<Uploader>>>(kConnections);
  return std::make_unique<Repeating>(kConnections, [server, uploaders](int thread) {
    std::unique_ptr<Uploader>& own = (*uploaders)[static_cast<std::size_t>(thread)];
    if (own == nullptr) own = std::make_unique<Uploader>(server);
    if (!own->Step()) own.reset();  // and again
  });
}

}  // namespace prequel::accept
