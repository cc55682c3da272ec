#include "tests/accept/guard/attacks/http2_wire.h"

#include <cstddef>
#include <utility>

namespace prequel::accept {
namespace {

constexpr std::size_t kHead = 9;  // of a frame
constexpr std::uint8_t kAcknowledged = 1;
constexpr std::uint32_t kCancel = 8;

}  // namespace

Http2Wire::Http2Wire(const Entrance& server, const char* from)
    : token_(server.token),
      wire_({.address = server.address, .ca = server.ca, .protocol = "h2", .from = from}),
      said_(kPreface) {
  Send(kSettings, 0, 0, "");
}

std::uint32_t Http2Wire::Begin() {
  const std::uint32_t stream = std::exchange(next_, next_ + 2);
  said_ += HeadersOf(stream, "/prequel.v1.LearningService/Predict", token_);
  return stream;
}

void Http2Wire::GiveUp(std::uint32_t stream) { Send(kResetStream, 0, stream, Store(kCancel)); }

void Http2Wire::Send(FrameType type, std::uint8_t flags, std::uint32_t stream,
                     const std::string& payload) {
  said_ += FrameOf(type, flags, stream, payload);
}

std::vector<Http2Wire::Frame> Http2Wire::Exchange(int wait_ms) {
  wire_.Send(std::exchange(said_, {}));
  come_ += wire_.Receive(wait_ms);
  std::vector<Frame> frames;
  std::size_t at = 0;
  while (come_.size() >= at + kHead) {
    const std::size_t length = Load(come_.data() + at) >> 8;
    if (come_.size() < at + kHead + length) break;
    frames.push_back({static_cast<std::uint8_t>(come_[at + 3]), Load(come_.data() + at + 5),
                      come_.substr(at + kHead, length)});
    if (frames.back().type == kSettings && length > 0) Send(kSettings, kAcknowledged, 0, "");
    at += kHead + length;
  }
  come_.erase(0, at);
  return frames;
}

}  // namespace prequel::accept
