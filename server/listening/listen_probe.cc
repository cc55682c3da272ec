#include "server/listening/listen_probe.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

namespace prequel {
namespace {

// A listening socket for as long as it lives.
class TrialListener {
 public:
  explicit TrialListener(const addrinfo& info)
      : fd_(socket(info.ai_family, info.ai_socktype | SOCK_CLOEXEC, info.ai_protocol)) {
    const int yes = 1;
    const bool listens = fd_ >= 0 &&
                         setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
                         bind(fd_, info.ai_addr, info.ai_addrlen) == 0 && listen(fd_, 1) == 0;
    if (!listens) error_ = errno;
  }
  ~TrialListener() {
    if (fd_ >= 0) close(fd_);
  }
  TrialListener(const TrialListener&) = delete;
  TrialListener& operator=(const TrialListener&) = delete;

  int error() const { return error_; }  // 0, or the errno of what failed

 private:
  const int fd_;
  int error_ = 0;
};

absl::Status CannotListen(const HostPort& address, const char* why) {
  return absl::UnavailableError("cannot listen on " + address.host + ":" +
                                std::to_string(address.port) + ": " + why);
}

}  // namespace

absl::Status ProbeListen(std::span<const HostPort> addresses) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  std::deque<TrialListener> listeners;
  for (const HostPort& address : addresses) {
    addrinfo* found = nullptr;
    const int error =
        getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
    if (error != 0) return CannotListen(address, gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
    listeners.emplace_back(*found);
    if (const int failed = listeners.back().error(); failed != 0) {
      return CannotListen(address, std::strerror(failed));
    }
  }
  return absl::OkStatus();
}

}  // namespace prequel
