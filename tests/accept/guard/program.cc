#include "tests/accept/guard/program.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel::accept {

Program::Program(std::vector<std::string> flags, std::function<void()> before)
    : flags_(std::move(flags)), before_(std::move(before)) {
  Start();
}

void Program::Start() {
  std::vector<std::string> command = {PREQUELD,
                                      "--data-dir=" + data(),
                                      "--listen=127.0.0.1:0",
                                      "--http=127.0.0.1:0",
                                      absl::StrCat("--memory=", kMemory),
                                      "--patience-seconds=3",
                                      absl::StrCat("--drain-seconds=", kDrain.count())};
  command.insert(command.end(), flags_.begin(), flags_.end());
  started_ = std::chrono::steady_clock::now();
  child_ = std::make_unique<ChildProcess>(command, before_);
  address_ = ReadReadyLine(*child_);
}

void Program::Kill() {
  child_->Signal(SIGKILL);
  (void)child_->Wait();
  const std::string log = child_->errors();
  const std::chrono::duration<double> lived = std::chrono::steady_clock::now() - started_;
  log_lines_ = static_cast<double>(std::count(log.begin(), log.end(), '\n')) / lived.count();
}

}  // namespace prequel::accept
