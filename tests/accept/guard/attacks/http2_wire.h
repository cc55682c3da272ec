// A connection that speaks HTTP/2 by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/accept/guard/attacks/http2.h"
#include "tests/accept/guard/attacks/wire.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// What is said is sent with the next Exchange. For one thread.
class Http2Wire {
 public:
  struct Frame {
    std::uint8_t type = 0;
    std::uint32_t stream = 0;
    std::string payload;
  };

  // `from`: the address of this end.
  Http2Wire(const Entrance& server, const char* from);

  // The server has ended it, or there are no streams left.
  bool broken() const { return wire_.broken() || next_ > kLastStream; }
  // A Predict of which nothing but the headers is there; its stream.
  std::uint32_t Begin();
  void GiveUp(std::uint32_t stream);
  void Send(FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload);

  // Sends what was said. What has come, once something has or `wait_ms` have passed; the server's
  // settings are acknowledged.
  std::vector<Frame> Exchange(int wait_ms);

 private:
  static constexpr std::uint32_t kLastStream = (1U << 31) - 1;

  const std::string token_;
  Wire wire_;
  std::uint32_t next_ = 1;
  std::string said_, come_;  // not sent yet, not a whole frame yet
};

}  // namespace prequel::accept
