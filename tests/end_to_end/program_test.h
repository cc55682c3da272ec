// The server and the command line as programs, on a directory of their own.
#pragma once

#include <gmock/gmock.h>
#include <httplib.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/ready_line.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {

// How a command ended, and what it said.
struct Outcome {
  int code;
  std::string out, err;
};

class ProgramTest : public ServerTest {
 protected:
  std::string data() const { return directory_.path(data_); }

  void StartProgram(const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                                        "--http=127.0.0.1:0"};
    command.insert(command.end(), flags.begin(), flags.end());
    program_ = std::make_unique<ChildProcess>(command);
    ConnectTo(*program_);
  }
  void StopProgram() {
    program_->Signal(SIGTERM);
    EXPECT_EQ(program_->Wait(), 0) << program_->errors();
  }

  // Once it says where it listens.
  void ConnectTo(ChildProcess& program) {
    const ReadyLine ready = ReadReadyLine(program);
    ASSERT_NE(ready.grpc, "");
    address_ = ready.grpc;
    http_address_ = ready.http;
    http_ = std::make_unique<httplib::Client>("http://" + ready.http);
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    models_ = v1::ModelService::NewStub(channel_);
    learning_ = v1::LearningService::NewStub(channel_);
  }

  // Whether the server comes to be serving, or not to.
  bool Becomes(bool serving) const {
    for (int i = 0; i < 300; ++i) {
      if ((Prequel({"health"})->Wait() == 0) == serving) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  // What LinearConfig() can learn.
  void WriteRows(int rows) const {
    std::ofstream file(directory_.path("rows.csv"));
    file << "x0,x1,y\n";
    for (int i = 0; i < rows; ++i) {
      file << std::sin(i) << "," << std::cos(3 * i) << "," << 0.5 * std::sin(i) + 0.1 << "\n";
    }
  }

  // Of those rows, four at a time.
  std::unique_ptr<ChildProcess> LearnRows(const std::string& model) const {
    return Prequel({"learn", model, "--csv=" + directory_.path("rows.csv"), "--batch=4"});
  }

  std::unique_ptr<ChildProcess> Prequel(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {PREQUEL, "--server=" + address_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return std::make_unique<ChildProcess>(command);
  }

  Outcome Run(const std::vector<std::string>& arguments) const {
    const std::unique_ptr<ChildProcess> child = Prequel(arguments);
    Outcome outcome{0, child->ReadAll(), ""};
    outcome.code = child->Wait();
    outcome.err = child->errors();
    return outcome;
  }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_.path(name), std::ios::binary) << content;
    return directory_.path(name);
  }

  std::string data_ = "data";  // the server's folder
  std::unique_ptr<ChildProcess> program_;
  std::string address_, http_address_;
  std::unique_ptr<httplib::Client> http_;
};

}  // namespace prequel
