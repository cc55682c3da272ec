// A client that speaks HTTP/2 by hand, as no client library would.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>

#include "tests/accept/guard/attacks/http2.h"
#include "tests/server/listening/loopback.h"

namespace prequel {

class Http2Client {
 public:
  // `from`: an address of this machine; empty: any.
  explicit Http2Client(const sockaddr_storage& to, const std::string& from = "")
      : socket_(to.ss_family == AF_INET6 ? Socket::Ipv6() : Socket()) {
    if (!from.empty()) socket_.Bind(from);
    socket_.Connect(to);
    socket_.Send(std::string(accept::kPreface) + accept::FrameOf(accept::kSettings, 0, 0, ""));
  }

  // Calls whose message never comes.
  void Begin(int calls) {
    std::string frames;
    for (int i = 0; i < calls; ++i, next_ += 2) {
      frames += accept::HeadersOf(next_, "/grpc.health.v1.Health/Check", "");
    }
    socket_.Send(frames);
  }
  // Gives up the oldest that it has not given up.
  void Reset(int calls) {
    constexpr std::uint32_t kCancel = 8;
    std::string frames;
    for (int i = 0; i < calls; ++i, oldest_ += 2) {
      frames += accept::FrameOf(accept::kResetStream, 0, oldest_, accept::Store(kCancel));
    }
    socket_.Send(frames);
  }

  sockaddr_storage Address() const { return socket_.Address(); }
  // Whether the server has ended the connection. Reads what it has said.
  bool Ended() const {
    char buffer[4096];
    ssize_t got = 0;
    while ((got = recv(socket_.fd(), buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) continue;
    return got == 0 || errno != EAGAIN;
  }

 private:
  Socket socket_;
  std::uint32_t next_ = 1, oldest_ = 1;  // streams
};

}  // namespace prequel
