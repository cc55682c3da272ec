// A program that runs as a child: its output, its signals, its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace prequel {

class ChildProcess {
 public:
  // `before` runs in the child before the program: only calls that are safe after fork.
  explicit ChildProcess(const std::vector<std::string>& command,
                        const std::function<void()>& before = {});
  // Kills what still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line of stdout without its end; empty once there is none.
  std::string ReadLine();
  std::string ReadAll();
  void Signal(int signal) const;
  // The exit code, or minus the signal that ended it; -1000 (and it is killed) if it takes longer.
  int Wait(std::chrono::seconds timeout = std::chrono::seconds(60));
  pid_t pid() const { return pid_; }
  // Everything that was written to stderr. REQUIRES: it has ended.
  std::string errors() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int errors_ = -1;
  bool ended_ = false;
  int code_ = 0;
};

}  // namespace prequel
