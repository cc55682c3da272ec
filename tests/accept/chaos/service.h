// A server that is killed and launched again, at the same addresses and on the same directory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/client.h"
#include "tests/end_to_end/child_process.h"

namespace prequel::accept {

// Launch, Kill and AwaitReady are for one thread; the rest is thread-safe.
class Service {
 public:
  explicit Service(std::vector<std::string> flags);
  ~Service();

  const std::string& grpc() const { return grpc_; }
  const std::string& http() const { return http_; }

  // REQUIRES: it does not run.
  void Launch();
  // Until it says that it serves, for writing too. False: it takes longer, or it has ended.
  bool AwaitReady(client::Client& client, std::chrono::seconds longest);
  void Kill();

  std::int64_t resident() const;  // bytes of memory; 0: it does not run
  // The most at any time since this was asked last.
  std::int64_t TakeMostResident() { return most_resident_.exchange(0); }
  // What it wrote to stderr before it was killed last.
  const std::string& log() const { return log_; }

 private:
  const std::string grpc_, http_;
  std::vector<std::string> command_;
  std::unique_ptr<ChildProcess> process_;  // null: it does not run
  std::string log_;
  std::atomic<pid_t> pid_ = 0;  // 0: it does not run
  std::atomic<std::int64_t> most_resident_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread watch_;
};

}  // namespace prequel::accept
