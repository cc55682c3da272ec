#include "tests/end_to_end/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace prequel {

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::function<void()>& before) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int output[2] = {-1, -1};
  if (pipe2(output, O_CLOEXEC) != 0) abort();
  char name[] = "/tmp/prequel-stderr-XXXXXX";
  errors_ = mkostemp(name, O_CLOEXEC);
  unlink(name);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output[1], STDOUT_FILENO);
    dup2(errors_, STDERR_FILENO);
    if (before) before();
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(output[1]);
  output_ = output[0];
}

ChildProcess::~ChildProcess() {
  if (!ended_) {
    Signal(SIGKILL);
    Wait();
  }
  close(output_);
  close(errors_);
}

std::string ChildProcess::ReadLine() {
  std::string line;
  char c = 0;
  while (read(output_, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

std::string ChildProcess::ReadAll() {
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(output_, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text;
}

void ChildProcess::Signal(int signal) const { kill(pid_, signal); }

int ChildProcess::Wait(std::chrono::seconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (!ended_ && waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      Signal(SIGKILL);
      waitpid(pid_, &status, 0);
      ended_ = true;
      return code_ = -1000;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (ended_) return code_;
  ended_ = true;
  return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string ChildProcess::errors() const {
  std::string text(static_cast<std::size_t>(lseek(errors_, 0, SEEK_END)), '\0');
  const ssize_t size = pread(errors_, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

}  // namespace prequel
