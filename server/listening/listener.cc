#include "server/listening/listener.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/memory/machine.h"

namespace prequel {
namespace {

constexpr int kBacklog = 1024;
constexpr int kAccepts = 64;  // connections that are taken before it looks at anything else
// How often the listener looks at what is open and arriving: as a rule, and once the process is
// large.
constexpr std::chrono::milliseconds kLook{100}, kCloseLook{20};
constexpr std::chrono::milliseconds kWithoutDescriptors{20};

absl::Status ListenError(const HostPort& address, const char* why) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.host, ":", address.port, ": ", why));
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return ntohs(address.ss_family == AF_INET6 ? v6.sin6_port : v4.sin_port);
}

void SetPort(sockaddr* address, int port) {
  const auto wire = htons(static_cast<std::uint16_t>(port));
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = wire;
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = wire;
  }
}

// A listening socket, or -1.
int ListenOn(const addrinfo& info) {
  const int fd =
      socket(info.ai_family, info.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, info.ai_protocol);
  if (fd < 0) return fd;
  const int yes = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
      bind(fd, info.ai_addr, info.ai_addrlen) == 0 && listen(fd, kBacklog) == 0) {
    return fd;
  }
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int Spare() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const HostPort& address,
                                                         const ConnectionLimits& limits,
                                                         const ArrivalLimits& arriving) {
  std::unique_ptr<Listener> listener(new Listener(limits, arriving));
  if (absl::Status status = listener->Listen(address); !status.ok()) return status;
  return listener;
}

// Listen listens on all addresses that the host has, on the port that the first was given.
absl::Status Listener::Listen(const HostPort& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return ListenError(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  int failure = 0;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (port_ != 0) SetPort(info->ai_addr, port_);
    const int fd = ListenOn(*info);
    if (fd < 0) failure = errno;
    if (fd < 0) continue;
    listening_.push_back(fd);
    if (port_ == 0) port_ = PortOf(fd);
  }
  if (listening_.empty()) return ListenError(address, std::strerror(failure));
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  spare_ = Spare();
  return wake_ < 0 ? ListenError(address, std::strerror(errno)) : absl::OkStatus();
}

Listener::~Listener() {
  Stop();
  for (const int fd : listening_) close(fd);
  for (const int fd : {wake_, spare_}) {
    if (fd >= 0) close(fd);
  }
}

void Listener::Start(std::unique_ptr<Acceptor> acceptor) {
  acceptor_ = std::move(acceptor);
  open_calls_ = std::make_unique<OpenCalls>();
  thread_ = std::thread([this] { Loop(); });
}

void Listener::Stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
  thread_.join();
  acceptor_.reset();
  // Whoever comes now is refused, and need not wait for an answer.
  for (const int fd : std::exchange(listening_, {})) close(fd);
}

void Listener::Loop() {
  std::vector<pollfd> polled;
  polled.reserve(listening_.size() + 1);
  for (const int fd : listening_) polled.push_back({fd, POLLIN, 0});
  polled.push_back({wake_, POLLIN, 0});
  auto next_look = Clock::now();
  std::chrono::milliseconds between = kLook;
  for (;;) {
    const int ready = poll(polled.data(), polled.size(), static_cast<int>(between.count()));
    if (polled.back().revents != 0) return;
    if (const auto now = Clock::now(); now >= next_look) {
      between = Look(now) ? kCloseLook : kLook;
      next_look = now + between;
    }
    for (std::size_t i = 0; ready > 0 && i + 1 < polled.size(); ++i) {
      // Connections that are left are there at the next poll.
      for (int n = 0; polled[i].revents != 0 && n < kAccepts && Accept(polled[i].fd); ++n) continue;
    }
  }
}

bool Listener::Look(Clock::time_point now) {
  const std::int64_t resident = ResidentBytes();
  const bool large = resident > arriving_limits_.resident;
  const std::int64_t before = table_.evicted();
  CountCalls(now);
  const std::chrono::duration<double> since = now - std::exchange(last_look_, now);
  table_.Police(arriving_limits_.arrivals.Take(),
                large ? arriving_limits_.most : std::numeric_limits<std::int64_t>::max(), since);
  open_ = static_cast<std::int64_t>(table_.open());
  refused_ += table_.evicted() - before;
  arriving_ = table_.arriving();
  return large;
}

void Listener::CountCalls(Clock::time_point now) {
  if (now - last_count_ < kLook) return;
  last_count_ = now;
  open_calls_->Look();
  calls_ = open_calls_->all();
  table_.SetCalls(open_calls_->by_peer());
  for (const Flood& flood : table_.EndFloods(now)) {
    ++floods_;
    const std::optional<std::int64_t> left_out = log_budget_.Take(now);
    if (!left_out) continue;
    LogLine(Severity::kWarning,
            absl::StrCat(flood.host, " had ", flood.calls, " calls open, ", flood.given_up,
                         " of them given up: its connections are ended, and for ",
                         ConnectionTable::kShunned.count(),
                         " s there are no others (--max-calls-per-peer)",
                         *left_out == 0 ? "" : absl::StrCat("; and ", *left_out, " more hosts")));
  }
}

bool Listener::Accept(int listening) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  const int fd = accept4(listening, reinterpret_cast<sockaddr*>(&address), &length,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE) TurnAway(listening);
    return false;
  }
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  if (!table_.Add(fd, address)) {
    const linger at_once{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
    ++refused_;
    return true;
  }
  Acceptor::NewConnectionParameters connection;
  connection.listener_fd = listening;
  connection.fd = fd;
  acceptor_->HandleNewConnection(&connection);
  return true;
}

void Listener::TurnAway(int listening) {
  if (spare_ >= 0) close(std::exchange(spare_, -1));
  const int fd = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd >= 0) close(fd);
  spare_ = Spare();
  ++refused_;
  std::this_thread::sleep_for(kWithoutDescriptors);
}

}  // namespace prequel
