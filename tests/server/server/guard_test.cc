// Nobody takes the service from the others: what `./dev accept guard` measures, in short. Its
// starts are in tests/server/engine/guard_test.cc and tests/end_to_end/resume_test.cc. Measured
// there alone: how long a bystander waits, a server of few descriptors, and what TLS and a token
// cost.
#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/memory/machine.h"
#include "server/server_options.h"
#include "tests/server/server/server_fixture.h"

namespace prequel::guard_test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer's quarantine, and a byte of its own for every eight.
constexpr std::int64_t kFreedAndKept = std::int64_t{384} << 20;
#else
constexpr std::int64_t kFreedAndKept = 0;
#endif

constexpr std::int64_t kMiB = 1 << 20;

class GuardTest : public ServerTest {
 protected:
  GuardTest() {
    options_.max_message_bytes = 4 * kMiB;
    options_.memory = 256 * kMiB;
    options_.patience = seconds(1);
  }

  // A connection of its own, whose client does not read: its window stays as it is.
  std::unique_ptr<v1::LearningService::Stub> Another() {
    grpc::ChannelArguments own;
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    own.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    own.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 16);
    return v1::LearningService::NewStub(
        grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), own));
  }
};

// A call that has been answered, and whose answer nobody reads.
class Unread {
 public:
  Unread(v1::LearningService::Stub& stub, const v1::Batch& batch) {
    v1::PredictRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = batch;
    reader_ = stub.PrepareAsyncPredict(&context_, request, &queue_);
    reader_->StartCall();
    reader_->ReadInitialMetadata(nullptr);  // and no Finish: no more is read than the first window
  }
  ~Unread() {
    context_.TryCancel();
    grpc::Status status;
    v1::PredictResponse response;
    reader_->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue_.Shutdown();
    while (queue_.Next(&tag, &ok)) continue;
  }

 private:
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::PredictResponse>> reader_;
};

TEST_F(GuardTest, AnswersThatNobodyReadsAreBoundedAndTheirCallsEnd) {
  StartServer();
  // Cheap to ask, so that answers are all that it is about.
  v1::ModelConfig config = LinearConfig();
  config.mutable_dynamics()->set_name("static");
  config.mutable_calibration()->set_name("none");
  ASSERT_TRUE(CreateModel("m", config).ok());
  const v1::Batch large = LinearQuery(20000);  // is answered with about a megabyte
  const std::int64_t before = ResidentBytes();
  const auto greedy = Another();
  {
    std::vector<std::unique_ptr<Unread>> unread;
    for (int i = 0; i < 200; ++i) unread.push_back(std::make_unique<Unread>(*greedy, large));
    const auto end = steady_clock::now() + seconds(3);
    while (steady_clock::now() < end) {
      v1::PredictResponse response;
      const grpc::Status status = Predict(LinearQuery(), &response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      ASSERT_TRUE(Learn(LinearBatch(1)).ok());
    }
    EXPECT_LT(ResidentBytes() - before, options_.memory + kFreedAndKept);
  }
  v1::PredictResponse response;
  EXPECT_TRUE(Predict(large, &response).ok()) << "there is room again";
}

// A few kilobytes of gzip would be any number of megabytes, whatever --max-message-bytes says.
TEST_F(GuardTest, CompressedRequestsAreRefused) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::PredictRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearQuery(1000);
    v1::PredictResponse response;
    EXPECT_EQ(learning_->Predict(&context, request, &response).error_code(),
              grpc::StatusCode::UNIMPLEMENTED);
  }
}

TEST_F(GuardTest, ARequestThatIsNoMessageIsRefusedWithTheMethodsName) {
  StartServer();
  for (const char* method :
       {"/prequel.v1.LearningService/Learn", "/prequel.v1.ModelService/CreateModel",
        "/prequel.v1.ModelService/ImportModel", "/inference.GRPCInferenceService/ModelInfer"}) {
    const grpc::Status status = SendNonsense(channel_, method);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr(method));
  }
}

TEST_F(GuardTest, ManyRequestsThatAreNoMessagesLeaveTheOthersServed) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  constexpr int kConnections = 4, kEach = 200, kLearned = 50;
  std::vector<std::future<int>> floods;
  for (int i = 0; i < kConnections; ++i) {
    floods.push_back(std::async(std::launch::async, [this] {
      grpc::ChannelArguments own;
      own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      const auto channel =
          grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), own);
      int refused = 0;
      for (int call = 0; call < kEach; ++call) {
        const grpc::Status status = SendNonsense(channel, "/prequel.v1.LearningService/Predict");
        refused += status.error_code() == grpc::StatusCode::INVALID_ARGUMENT ? 1 : 0;
      }
      return refused;
    }));
  }
  for (int i = 0; i < kLearned; ++i) {
    EXPECT_TRUE(Learn(LinearBatch(i)).ok());
    v1::PredictResponse response;
    EXPECT_TRUE(Predict(LinearQuery(), &response).ok());
  }
  for (std::future<int>& flood : floods) EXPECT_EQ(flood.get(), kEach);
}

TEST_F(GuardTest, AModelThatDoesNotFitIsRefusedWithTheNumbers) {
  StartServer();
  const v1::ModelConfig large = ParseConfig(
      "features { name: 'x' width: 5000 } target { name: 'y' } likelihood { name: 'gaussian' }"
      "posterior { name: 'full' }");
  const grpc::Status status = CreateModel("m", large);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(PartsOf(status).reason, "MEMORY_EXHAUSTED");
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("--memory"));
  EXPECT_TRUE(CreateModel("m", LinearConfig()).ok());
}

TEST_F(GuardTest, QueriesAreRefusedBeforeTheyTakeTooLong) {
  options_.max_query_seconds = 1;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  grpc::ClientContext context;
  v1::PredictRequest request;
  request.set_name("models/m");
  request.mutable_options()->set_samples(10000);
  *request.mutable_batch() = LinearQuery(2000);
  v1::PredictResponse response;
  grpc::Status status = learning_->Predict(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("--max-query-seconds"));

  grpc::ClientContext another;
  v1::PredictThenLearnRequest learn;
  learn.set_name("models/m");
  *learn.mutable_options() = request.options();
  *learn.mutable_batch() = LinearBatch(0, 2000);
  v1::PredictThenLearnResponse learned;
  status = learning_->PredictThenLearn(&another, learn, &learned);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("--max-query-seconds"));
}

// Sockets from one address, which say nothing.
class IdleSockets {
 public:
  IdleSockets(const std::string& server, int count) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(server.substr(server.rfind(':') + 1))));
    sockaddr_in from{};
    from.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.9", &from.sin_addr);
    for (int i = 0; i < count; ++i) {
      const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockets_.push_back(fd);
      if (bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof(from)) != 0) continue;
      (void)connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    }
  }
  ~IdleSockets() {
    for (const int fd : sockets_) close(fd);
  }
  // Those that the server has closed.
  int Closed() const {
    int closed = 0;
    for (const int fd : sockets_) {
      char byte[64];
      ssize_t got = recv(fd, byte, sizeof(byte), MSG_DONTWAIT);
      while (got > 0) got = recv(fd, byte, sizeof(byte), MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN)) ++closed;
    }
    return closed;
  }

 private:
  std::vector<int> sockets_;
};

TEST_F(GuardTest, ConnectionsFromOneAddressAreBounded) {
  options_.max_connections = 40;
  options_.max_connections_per_peer = 20;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const IdleSockets idle(server_->address(), 60);
  const auto end = steady_clock::now() + seconds(20);
  while (idle.Closed() < 40 && steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(idle.Closed(), 40);
  for (int i = 0; i < 5; ++i) {
    Connect();
    v1::PredictResponse response;
    EXPECT_TRUE(Predict(LinearQuery(), &response).ok());
  }
}

TEST_F(GuardTest, StoppingDoesNotWaitForWhatIsUnderWay) {
  options_.drain = seconds(1);
  options_.max_query_seconds = 1'000'000;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const auto stub = Another();
  constexpr std::size_t kCalls = 4;
  v1::PredictRequest request;
  request.set_name("models/m");
  request.mutable_options()->set_samples(10000);
  *request.mutable_batch() = LinearQuery(500);
  std::vector<grpc::Status> statuses(kCalls);
  std::vector<std::thread> callers;
  for (grpc::Status& status : statuses) {
    callers.emplace_back([&stub, &status, &request] {
      grpc::ClientContext context;
      v1::PredictResponse response;
      status = stub->Predict(&context, request, &response);
    });
  }
  HostPort http;
  ASSERT_TRUE(ParseHostPort(server_->http_address(), &http).ok());
  httplib::Client client(http.host, http.port);
  const auto in_flight = [&client] {
    const httplib::Result metrics = client.Get("/metrics");
    if (!metrics) return 0.0;
    const std::string name = "\nprequel_memory_in_flight_bytes ";
    const std::size_t at = metrics->body.find(name);
    return at == metrics->body.npos ? 0.0 : std::stod(metrics->body.substr(at + name.size()));
  };
  while (in_flight() < static_cast<double>(kCalls * request.ByteSizeLong())) {
    std::this_thread::yield();
  }
  const auto begin = steady_clock::now();
  StopServer();
  EXPECT_LT(steady_clock::now() - begin, seconds(10)) << "they take a minute in all";
  for (std::thread& caller : callers) caller.join();
  for (const grpc::Status& status : statuses) EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace prequel::guard_test
