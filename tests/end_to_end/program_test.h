// The server and the command line as programs, on a directory of their own.
#pragma once

#include <gmock/gmock.h>
#include <httplib.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/end_to_end/child_process.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {

class ProgramTest : public ServerTest {
 protected:
  std::string data() const { return directory_.path("data"); }

  void StartProgram(const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command = {PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                                        "--http=127.0.0.1:0"};
    command.insert(command.end(), flags.begin(), flags.end());
    program_ = std::make_unique<ChildProcess>(command);
    const std::string line = program_->ReadLine();
    char grpc_address[64] = "", http_address[64] = "";
    ASSERT_EQ(std::sscanf(line.c_str(), "prequeld listening on %63s (http %63[^)])", grpc_address,
                          http_address),
              2)
        << line;
    address_ = grpc_address;
    http_ = std::make_unique<httplib::Client>(std::string("http://") + http_address);
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    models_ = v1::ModelService::NewStub(channel_);
    learning_ = v1::LearningService::NewStub(channel_);
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
  std::unique_ptr<ChildProcess> Learn(const std::string& model) const {
    return Prequel({"learn", model, "--csv=" + directory_.path("rows.csv"), "--batch=4"});
  }

  std::unique_ptr<ChildProcess> Prequel(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {PREQUEL, "--server=" + address_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return std::make_unique<ChildProcess>(command);
  }

  std::unique_ptr<ChildProcess> program_;
  std::string address_;
  std::unique_ptr<httplib::Client> http_;
};

}  // namespace prequel
