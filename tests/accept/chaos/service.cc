#include "tests/accept/chaos/service.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/accept/guard/bystander.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// At a port that was free a moment ago. Below those that the system gives to whoever connects: a
// client that tries to reach a server which is not there could be given that server's port.
std::string FreeAddress() {
  std::random_device random;
  for (;;) {
    const int port = std::uniform_int_distribution<int>(12'000, 30'000)(random);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free =
        bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(fd);
    if (is_free) return absl::StrCat("127.0.0.1:", port);
  }
}

}  // namespace

Service::Service(std::vector<std::string> flags) : grpc_(FreeAddress()), http_(FreeAddress()) {
  command_ = {PREQUELD, "--listen=" + grpc_, "--http=" + http_};
  command_.insert(command_.end(), std::make_move_iterator(flags.begin()),
                  std::make_move_iterator(flags.end()));
  watch_ = std::thread([this] {
    while (!stopping_) {
      most_resident_ = std::max(most_resident_.load(), resident());
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
}

Service::~Service() {
  stopping_ = true;
  watch_.join();
}

void Service::Launch() {
  process_ = std::make_unique<ChildProcess>(command_);
  pid_ = process_->pid();
}

bool Service::AwaitReady(client::Client& client, std::chrono::seconds longest) {
  const auto until = steady_clock::now() + longest;
  if (process_->ReadLine().empty()) return false;
  while (!client.CheckHealth().value_or(false)) {
    if (steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

void Service::Kill() {
  pid_ = 0;
  process_->Signal(SIGKILL);
  (void)process_->Wait();
  log_ = process_->errors();
  process_.reset();
}

std::int64_t Service::resident() const {
  const pid_t pid = pid_;
  return pid == 0 ? 0 : ResidentOf(pid);
}

}  // namespace prequel::accept
