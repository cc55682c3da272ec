#include "tests/accept/guard/attacks/uploads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/accept/guard/attacks/http2.h"
#include "tests/accept/guard/attacks/http2_wire.h"

namespace prequel::accept {
namespace {

constexpr std::int64_t kMessage = 15 << 20;
constexpr int kStreams = 250, kConnections = 4;
constexpr std::size_t kFrame = 16384;  // the longest that may be sent unasked

// One connection. Keeps to HTTP/2's flow control: the server lets all this in.
class Uploader {
 public:
  explicit Uploader(const Entrance& server) : wire_(server, "127.0.0.1") {
    for (int i = 0; i < kStreams; ++i) streams_[wire_.Begin()] = {};
  }

  // As much as may be sent; false once the server has ended the connection.
  bool Step() {
    bool sent = false;
    for (auto& [id, stream] : streams_) sent = Feed(id, stream) || sent;
    for (const Http2Wire::Frame& frame : wire_.Exchange(sent ? 0 : 100)) Take(frame);
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
    wire_.Send(kData, 0, id, payload);
    window_ -= room;
    stream.window -= room;
    stream.sent += room;
    return true;
  }

  void Take(const Http2Wire::Frame& frame) {
    const std::string& payload = frame.payload;
    if (frame.type == kSettings) {
      for (std::size_t at = 0; at + 6 <= payload.size(); at += 6) {
        if (payload[at + 1] != 4) continue;  // the initial window
        const std::int64_t more = std::int64_t{Load(payload.data() + at + 2)} - 65535;
        for (auto& [ignored, stream] : streams_) stream.window += more;
      }
    } else if (frame.type == kWindowUpdate && frame.stream == 0) {
      window_ += Load(payload.data());
    } else if (frame.type == kWindowUpdate) {
      if (const auto stream = streams_.find(frame.stream); stream != streams_.end()) {
        stream->second.window += Load(payload.data());
      }
    }
  }

  Http2Wire wire_;
  std::int64_t window_ = 65535;
  std::map<std::uint32_t, Stream> streams_;
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
