#include "tests/accept/guard/uploads.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

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

std::string Headers() {
  return Field(":method", "POST") + Field(":scheme", "http") +
         Field(":path", "/prequel.v1.LearningService/Predict") + Field(":authority", "x") +
         Field("content-type", "application/grpc") + Field("te", "trailers");
}

// One connection. Keeps to HTTP/2's flow control: the server lets all this in.
class Uploader {
 public:
  explicit Uploader(const std::string& server) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    const int port = std::stoi(server.substr(server.rfind(':') + 1));
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    broken_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0;
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + FrameOf(kSettings, 0, 0, ""));
    for (int i = 0; i < kStreams; ++i) {
      const auto stream = static_cast<std::uint32_t>(2 * i + 1);
      Send(FrameOf(kHeaders, 4, stream, Headers()));
      streams_[stream] = {};
    }
  }
  ~Uploader() { close(fd_); }
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  // As much as may be sent; false once the server has ended the connection.
  bool Step() {
    bool sent = false;
    for (auto& [id, stream] : streams_) sent = Feed(id, stream) || sent;
    Read(sent ? 0 : 100);
    return !broken_;
  }

 private:
  struct Stream {
    std::int64_t window = 65535, sent = 0;
  };

  bool Feed(std::uint32_t id, Stream& stream) {
    const std::int64_t room = std::min(
        {window_, stream.window, kMessage - 1 - stream.sent, static_cast<std::int64_t>(kFrame)});
    if (room < 16 || broken_) return false;
    std::string payload(static_cast<std::size_t>(room), '\1');
    if (stream.sent == 0) {
      payload.replace(0, 5, '\0' + Store(static_cast<std::uint32_t>(kMessage)));
    }
    Send(FrameOf(kData, 0, id, payload));
    window_ -= room;
    stream.window -= room;
    stream.sent += room;
    return true;
  }

  void Send(const std::string& bytes) {
    std::string_view left = bytes;
    while (!left.empty() && !broken_) {
      const ssize_t sent = send(fd_, left.data(), left.size(), MSG_NOSIGNAL);
      broken_ = sent <= 0;
      if (!broken_) left.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void Read(int wait_ms) {
    pollfd polled{fd_, POLLIN, 0};
    while (!broken_ && poll(&polled, 1, wait_ms) > 0) {
      char buffer[1 << 16];
      const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
      broken_ = got <= 0;
      if (!broken_) pending_.append(buffer, static_cast<std::size_t>(got));
      wait_ms = 0;
    }
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
      Send(FrameOf(kSettings, 1, 0, ""));
    } else if (type == kWindowUpdate && id == 0) {
      window_ += Load(payload.data());
    } else if (type == kWindowUpdate) {
      if (const auto stream = streams_.find(id); stream != streams_.end()) {
        stream->second.window += Load(payload.data());
      }
    }
  }

  int fd_ = -1;
  bool broken_ = false;
  std::int64_t window_ = 65535;
  std::map<std::uint32_t, Stream> streams_;
  std::string pending_;
};

}  // namespace

std::unique_ptr<Attack> EndlessUploads(const std::string& server) {
  auto uploaders = std::make_shared<std::vector<std::unique_ptr<Uploader>>>(kConnections);
  return std::make_unique<Repeating>(kConnections, [server, uploaders](int thread) {
    std::unique_ptr<Uploader>& own = (*uploaders)[static_cast<std::size_t>(thread)];
    if (own == nullptr) own = std::make_unique<Uploader>(server);
    if (!own->Step()) own.reset();  // and again
  });
}

}  // namespace prequel::accept
