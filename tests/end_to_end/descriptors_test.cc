// A server that may have few files open, while others hold as many connections as they get.
#include <sys/resource.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/end_to_end/program_test.h"
#include "tests/server/listening/loopback.h"

namespace prequel::descriptors_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kWidth = 400;

// A state of more than one chunk, whose snapshot takes a file of its own.
v1::ModelConfig WideConfig() {
  return ParseConfig("features { name: 'x' width: " + std::to_string(kWidth) +
                     " } target { name: 'y' } likelihood { name: 'gaussian' }"
                     "posterior { name: 'full' }");
}

v1::Batch WideBatch() {
  v1::Batch batch;
  *batch.mutable_inputs() = MakeTensor({1, kWidth}, std::vector<double>(kWidth, 0.1));
  *batch.mutable_targets() = MakeTensor({1}, {1.0});
  return batch;
}

class DescriptorsTest : public ProgramTest {
 protected:
  void SetUp() override {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 4096) GTEST_SKIP() << "this test itself takes some 3000 descriptors";
  }

  void StartWith(rlim_t most) {
    program_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                                 "--http=127.0.0.1:0"},
        [most] {
          const rlimit limit{most, most};
          setrlimit(RLIMIT_NOFILE, &limit);
        });
  }

  // Connections of another host to `address` that never say anything.
  static std::vector<Socket> Silent(const std::string& address, int count) {
    HostPort to;
    EXPECT_TRUE(ParseHostPort(address, &to).ok());
    std::vector<Socket> sockets(static_cast<std::size_t>(count));
    for (const Socket& socket : sockets) {
      socket.Bind("127.0.0.2");
      socket.Connect(AddressOf(to.host, to.port));
    }
    return sockets;
  }

  double Metric(const std::string& name) const {
    const httplib::Result metrics = http_->Get("/metrics");
    std::istringstream text(metrics ? metrics->body : "");
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(name + " ")) return std::stod(line.substr(name.size()));
    }
    ADD_FAILURE() << name;
    return 0;
  }
};

TEST_F(DescriptorsTest, ThoseWhoSayNothingLeaveSomeForEverythingElse) {
  StartWith(1024);
  ConnectTo(*program_);
  ASSERT_TRUE(CreateModel("m", WideConfig()).ok());
  const std::vector<Socket> grpc = Silent(address_, 1200);
  const std::vector<Socket> http = Silent(http_address_, 1200);
  while (Metric("prequel_connections_refused_total") == 0) continue;
  EXPECT_LT(Metric("process_open_fds"), 1024);
  const httplib::Result ready = http_->Get("/v2/health/ready");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, 200) << ready->body;
  ASSERT_TRUE(Learn(WideBatch()).ok());
  grpc::ClientContext context;
  v1::CreateSnapshotRequest request;
  request.set_name("models/m");
  v1::Snapshot snapshot;
  const grpc::Status taken = models_->CreateSnapshot(&context, request, &snapshot);
  ASSERT_TRUE(taken.ok()) << taken.error_message();
  EXPECT_GT(snapshot.bytes(), 256 << 10);
  StopProgram();
  EXPECT_THAT(
      program_->errors(),
      AllOf(HasSubstr("--max-connections is 600, not 4096: the process may have 1024 files open"),
            HasSubstr("--max-connections-per-peer is 300, not 1024"),
            HasSubstr("the number of HTTP connections is 120, not 128"),
            HasSubstr("the number of files that the store keeps open is 240, not 512")));
}

TEST_F(DescriptorsTest, TooFewAreAnErrorAtTheStart) {
  StartWith(100);
  EXPECT_EQ(program_->Wait(), 1);
  EXPECT_THAT(program_->errors(),
              AllOf(HasSubstr("may have 100 files open"), HasSubstr("at least 256")));
}

}  // namespace
}  // namespace prequel::descriptors_test
