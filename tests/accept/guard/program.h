// The server that is attacked: a program with a budget of memory, and a directory that outlives it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/served.h"
#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/ready_line.h"

namespace prequel::accept {

class Program {
 public:
  static constexpr std::int64_t kMemory = std::int64_t{1} << 30;
  static constexpr std::chrono::seconds kDrain{2};

  // Runs at once, with more flags than those that all scenarios have; `before` as ChildProcess has
  // it.
  explicit Program(std::vector<std::string> flags = {}, std::function<void()> before = {});

  // kill -9.
  void Kill();
  // On the same directory. REQUIRES: it has been killed.
  void Start();

  ChildProcess& child() { return *child_; }
  const std::string& grpc() const { return address_.grpc; }
  const std::string& http() const { return address_.http; }
  std::string data() const { return folder_.path(); }
  // Lines of its log in a second, from its start until it was killed.
  double log_lines() const { return log_lines_; }

 private:
  const ScratchFolder folder_;
  const std::vector<std::string> flags_;
  const std::function<void()> before_;
  std::unique_ptr<ChildProcess> child_;
  ReadyLine address_;
  std::chrono::steady_clock::time_point started_;
  double log_lines_ = 0;
};

}  // namespace prequel::accept
