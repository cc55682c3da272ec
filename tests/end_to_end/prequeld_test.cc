// The real program: how it starts, refuses to start, and stops.
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/end_to_end/program_test.h"

namespace prequel::prequeld_test {
namespace {

class PrequeldTest : public ProgramTest {
 protected:
  std::vector<std::string> Command(std::vector<std::string> more = {}) const {
    std::vector<std::string> command = {PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                                        "--http=", "--drain-seconds=5"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  // Waits for replay.
  v1::PredictResponse PredictOnceReady() {
    v1::PredictResponse predicted;
    grpc::Status status;
    for (int i = 0; i < 500; ++i) {
      status = Predict(LinearQuery(), &predicted);
      if (status.error_code() != grpc::StatusCode::UNAVAILABLE) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(status.ok()) << status.error_message();
    return predicted;
  }

  static void ExpectOneLine(const std::string& text) {
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  }
};

TEST_F(PrequeldTest, SaysWhatItCanBeTold) {
  ChildProcess help({PREQUELD, "--help"});
  const std::string text = help.ReadAll();
  EXPECT_EQ(help.Wait(), 0);
  for (const char* word : {"--data-dir", "./prequel-data", "--listen", "127.0.0.1:8081", "--http",
                           "127.0.0.1:8080", "16777216", "--sync", "--config", "--version"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(word));
  }
  ChildProcess version({PREQUELD, "--version"});
  EXPECT_THAT(version.ReadLine(), ::testing::StartsWith("prequeld "));
  EXPECT_EQ(version.Wait(), 0);
}

TEST_F(PrequeldTest, UsageErrorsAreOneLineAndExitWith2) {
  ChildProcess child(Command({"--workers=many"}));
  EXPECT_EQ(child.Wait(), 2);
  ExpectOneLine(child.errors());
}

TEST_F(PrequeldTest, StopsThoughNobodyReadsItsLog) {
  int log[2];
  ASSERT_EQ(pipe2(log, O_CLOEXEC), 0);
  ChildProcess child(
      {PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0", "--http=", "--drain-seconds=0"},
      [&log] { dup2(log[1], STDERR_FILENO); });
  ConnectTo(child);
  // An opening of its own, since the server's is to wait.
  const std::string path = "/proc/self/fd/" + std::to_string(log[1]);
  const int filler = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  while (write(filler, "x", 1) == 1) continue;
  child.Signal(SIGTERM);
  EXPECT_EQ(child.Wait(std::chrono::seconds(20)), 0);
  for (const int fd : {log[0], log[1], filler}) close(fd);
}

TEST_F(PrequeldTest, SigtermAnswersWhatIsInFlightAndExitsWith0) {
  ChildProcess child(Command());
  ConnectTo(child);
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  grpc::ClientContext context;
  const auto stream = learning_->LearnStream(&context);
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  for (int i = 0; i < 30; ++i) {
    *request.mutable_batch() = LinearBatch(i);
    ASSERT_TRUE(stream->Write(request));
  }
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  child.Signal(SIGTERM);
  std::int64_t acknowledged = response.learned().revision();
  while (stream->Read(&response)) acknowledged = response.learned().revision();
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
  EXPECT_EQ(child.Wait(), 0) << child.errors();

  ChildProcess again(Command());
  ConnectTo(again);
  const v1::PredictResponse predicted = PredictOnceReady();
  EXPECT_GE(predicted.revision(), acknowledged);
  again.Signal(SIGINT);
  EXPECT_EQ(again.Wait(), 0) << again.errors();
}

TEST_F(PrequeldTest, ReadsAConfigurationFileThatFlagsOverride) {
  std::ofstream(directory_.path("prequeld.conf"))
      << "data-dir=\"" << directory_.path("data") << "\"\nlisten=\"127.0.0.1:1\"\nhttp=\"\"\n";
  ChildProcess child(
      {PREQUELD, "--config=" + directory_.path("prequeld.conf"), "--listen=127.0.0.1:0"});
  ConnectTo(child);
  EXPECT_TRUE(CreateModel("m", LinearConfig()).ok());
  child.Signal(SIGTERM);
  EXPECT_EQ(child.Wait(), 0);
  std::ofstream(directory_.path("prequeld.conf"), std::ios::app) << "nonsense=1\n";
  ChildProcess refused({PREQUELD, "--config=" + directory_.path("prequeld.conf")});
  EXPECT_EQ(refused.Wait(), 2);
  ExpectOneLine(refused.errors());
}

TEST_F(PrequeldTest, APortInUseIsAllThatTheErrorSaysAndTheDataStayUntouched) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const std::string error = "prequeld: cannot listen on " + port + ": Address already in use\n";
  for (const char* flag : {"--listen=", "--http="}) {
    ChildProcess child(Command({flag + port}));
    EXPECT_EQ(child.Wait(), 1) << flag;
    EXPECT_EQ(child.errors(), error) << flag;
  }
  close(listener);
  ChildProcess both(Command({"--listen=" + port, "--http=" + port}));
  EXPECT_EQ(both.Wait(), 1) << "one port cannot serve gRPC and HTTP";
  EXPECT_EQ(both.errors(), error);
  EXPECT_FALSE(std::filesystem::exists(directory_.path("data")));
}

TEST_F(PrequeldTest, ADirectoryThatAnotherProcessUses) {
  ChildProcess first(Command());
  ConnectTo(first);
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ChildProcess second(Command());
  EXPECT_EQ(second.Wait(), 1);
  ExpectOneLine(second.errors());
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

TEST_F(PrequeldTest, ADirectoryThatCannotBeWritten) {
  std::ofstream(directory_.path("data")) << "a file\n";
  ChildProcess child(Command());
  EXPECT_EQ(child.Wait(), 1);
  ExpectOneLine(child.errors());
  ChildProcess nowhere({PREQUELD, "--data-dir=/proc/prequel", "--listen=127.0.0.1:0", "--http="});
  EXPECT_EQ(nowhere.Wait(), 1);
  ExpectOneLine(nowhere.errors());
}

// A file may grow to `bytes` only: what a full disk does, without filling one.
void LimitFileSize(std::size_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(PrequeldTest, ADiskThatFillsUpLosesNothingAcknowledged) {
  std::int64_t acknowledged = 0;
  {
    ChildProcess child(Command(), [] { LimitFileSize(1 << 20); });
    ConnectTo(child);
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
    grpc::Status status;
    for (int i = 0; i < 200 && status.ok(); ++i) {
      v1::LearnResponse response;
      status = Learn(LinearBatch(i, 2000), &response);
      if (status.ok()) acknowledged = response.revision();
    }
    ASSERT_FALSE(status.ok()) << "32 KiB each must have filled 1 MiB";
    EXPECT_GT(acknowledged, 0);
    EXPECT_FALSE(PartsOf(status).reason.empty());
    EXPECT_EQ(Learn(LinearBatch(1)).error_code(), grpc::StatusCode::UNAVAILABLE);
    v1::PredictResponse predicted;
    EXPECT_TRUE(Predict(LinearQuery(), &predicted).ok()) << "reading goes on";
    EXPECT_EQ(predicted.revision(), acknowledged);
    child.Signal(SIGTERM);
    EXPECT_EQ(child.Wait(), 0) << child.errors();
  }
  ChildProcess again(Command());
  ConnectTo(again);
  const v1::PredictResponse predicted = PredictOnceReady();
  EXPECT_GE(predicted.revision(), acknowledged);
  EXPECT_LE(predicted.revision(), acknowledged + 1);
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

TEST_F(PrequeldTest, KilledItKeepsWhatItAcknowledged) {
  std::int64_t acknowledged = 0;
  {
    ChildProcess child(Command());
    ConnectTo(child);
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
    for (int i = 0; i < 20; ++i) {
      v1::LearnResponse response;
      ASSERT_TRUE(Learn(LinearBatch(i), &response).ok());
      acknowledged = response.revision();
    }
    child.Signal(SIGKILL);
    EXPECT_EQ(child.Wait(), -SIGKILL);
  }
  ChildProcess again(Command());
  ConnectTo(again);
  const v1::PredictResponse predicted = PredictOnceReady();
  EXPECT_EQ(predicted.revision(), acknowledged);
}

}  // namespace
}  // namespace prequel::prequeld_test
