// Connections of this machine with itself.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace prequel {

inline sockaddr_storage AddressOf(const std::string& host, int port) {
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  const auto wire = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = wire;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = wire;
  }
  return address;
}

inline socklen_t LengthOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

// A socket, closed with it.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket() : Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  static Socket Ipv6() { return Socket(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)); }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  void Bind(const std::string& host) const {
    const sockaddr_storage address = AddressOf(host, 0);
    (void)bind(fd_, reinterpret_cast<const sockaddr*>(&address), LengthOf(address));
  }
  void Connect(const sockaddr_storage& to) const {
    (void)connect(fd_, reinterpret_cast<const sockaddr*>(&to), LengthOf(to));
  }
  // Its own.
  sockaddr_storage Address() const {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    (void)getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length);
    return address;
  }
  void Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void Send(std::size_t zeros) const { Send(std::string(zeros, '\0')); }
  // Whether the other end has ended it.
  bool Ended() const {
    char byte;
    return recv(fd_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
  }

 private:
  int fd_;
};

// A connection from an address of this machine, with both of its ends.
struct Pair {
  explicit Pair(const std::string& from) {
    const Socket listening;
    listening.Bind("127.0.0.1");
    (void)listen(listening.fd(), 1);
    socklen_t length = sizeof(address);
    (void)getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&address), &length);
    client.Bind(from);
    client.Connect(address);
    length = sizeof(address);
    server = Socket(
        accept4(listening.fd(), reinterpret_cast<sockaddr*>(&address), &length, SOCK_CLOEXEC));
  }

  Socket client, server{-1};
  sockaddr_storage address{};  // the client's
};

}  // namespace prequel
