// The program itself, against a fake server.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/client/fake_server.h"
#include "tests/client/temporary_file.h"

namespace prequel::cli {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

inline std::string Content(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    v1::Model model;
    model.set_name("models/m");
    model.mutable_config()->add_features()->set_name("x");
    model.mutable_config()->mutable_target()->set_name("y");
    model.set_serving(true);
    server_.behaviour().models = {model};
  }

  // Starts a shell that runs `command`.
  static pid_t Shell(const std::string& command) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return pid;
  }

  // Starts `prequel ARGUMENTS` through a shell; exec makes the pid the program's.
  pid_t Start(const std::string& arguments) {
    const std::string command = "PREQUEL_SERVER=" + server_.address() +
                                " exec " PREQUEL_PROGRAM " " + arguments + " >" + out_.path() +
                                " 2>" + err_.path();
    return Shell(command);
  }

  Outcome Wait(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Content(out_.path()),
            Content(err_.path())};
  }

  Outcome Run(const std::string& arguments) { return Wait(Start(arguments)); }

  // A file of `rows` rows for model m.
  static std::string Csv(int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) text += std::to_string(i) + ",1\n";
    return text;
  }

  client::FakeServer server_;
  client::TemporaryFile out_, err_;
};

}  // namespace prequel::cli
