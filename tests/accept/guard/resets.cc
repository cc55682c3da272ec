#include "tests/accept/guard/resets.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/accept/guard/http2.h"
#include "tests/accept/guard/wire.h"

namespace prequel::accept {
namespace {

constexpr int kConnections = 4;
constexpr std::uint32_t kCancel = 8, kLastStream = (1U << 31) - 1;
// From an address of its own: whoever floods is kept out, and with it all of its host.
constexpr char kFrom[] = "127.0.0.9";

class Resetter {
 public:
  explicit Resetter(const Entrance& server)
      : token_(server.token),
        wire_({.address = server.address, .ca = server.ca, .protocol = "h2", .from = kFrom}) {
    wire_.Send(std::string(kPreface) + FrameOf(kSettings, 0, 0, ""));
  }

  // False once the server has ended the connection.
  bool Step() {
    std::string frames;
    for (int i = 0; i < 100; ++i, stream_ += 2) {
      frames += HeadersOf(stream_, "/prequel.v1.LearningService/Predict", token_) +
                FrameOf(kResetStream, 0, stream_, Store(kCancel));
    }
    wire_.Send(frames);
    (void)wire_.Receive(0);
    return !wire_.broken() && stream_ < kLastStream - 200;
  }

 private:
  const std::string token_;
  Wire wire_;
  std::uint32_t stream_ = 1;
};

}  // namespace

std::unique_ptr<Attack> Resets(const Entrance& server) {
  auto resetters = std::make_shared<std::vector<std::unique_ptr<Resetter>>>(kConnections);
  return std::make_unique<Repeating>(kConnections, [server, resetters](int thread) {
    std::unique_ptr<Resetter>& own = (*resetters)[static_cast<std::size_t>(thread)];
    StandElsewhere();
    if (own == nullptr) own = std::make_unique<Resetter>(server);
    if (own->Step()) return;
    own.reset();  // and again
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

}  // namespace prequel::accept
