#include "tests/accept/guard/uploads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/accept/guard/http2.h"
#include "tests/accept/guard/wire.h"

namespace prequel::accept {
namespace {

constexpr std::int64_t kMessage = 15 << 20;
constexpr int kStreams = 250, kConnections = 4;
constexpr std::size_t kFrame = 16384;  // the longest that may be sent unasked

// One connection. Keeps to HTTP/2's flow control: the server lets all this in.
class Uploader {
 public:
  explicit Uploader(const Entrance& server)
      : wire_({.address = server.address, .ca = server.ca, .protocol = "h2"}) {
    wire_.Send(std::string(kPreface) + FrameOf(kSettings, 0, 0, ""));
    for (int i = 0; i < kStreams; ++i) {
      const auto stream = static_cast<std::uint32_t>(2 * i + 1);
      wire_.Send(HeadersOf(stream, "/prequel.v1.LearningService/Predict", server.token));
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
    StandElsewhere();
    if (own == nullptr) own = std::make_unique<Uploader>(server);
    if (!own->Step()) own.reset();  // and again
  });
}

}  // namespace prequel::accept
