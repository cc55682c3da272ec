// Health, reflection and the HTTP side.
#include <grpcpp/generic/generic_stub.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/server_options.h"
#include "tests/server/server/server_fixture.h"

namespace prequel::observe_test {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

class ObserveTest : public ServerTest {
 protected:
  void SetUp() override {
    StartServer();
    HostPort address;
    ASSERT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    http_ = std::make_unique<httplib::Client>(address.host, address.port);
    AwaitServing();
  }

  HealthCheckResponse::ServingStatus Check(const std::string& service = "") {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(service);
    HealthCheckResponse response;
    const grpc::Status status = Health::NewStub(channel_)->Check(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.status();
  }

  void AwaitServing() {
    for (int i = 0; i < 200 && Check() != HealthCheckResponse::SERVING; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // Of every metric that there is, by its name.
  std::map<std::string, std::string> MetricTypes() {
    const httplib::Result metrics = http_->Get("/metrics");
    std::istringstream lines(metrics ? metrics->body : "");
    std::map<std::string, std::string> types;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string hash, what, name, type;
      words >> hash >> what >> name >> type;
      if (hash == "#" && what == "TYPE") types[name] = type;
    }
    EXPECT_GT(types.size(), 20U);
    return types;
  }

  int StatusOf(const httplib::Result& result) { return result ? result->status : -1; }

  std::unique_ptr<httplib::Client> http_;
};

TEST_F(ObserveTest, HealthServesTheServerAndItsServices) {
  for (const char* service : {"", "prequel.v1.ModelService", "prequel.v1.LearningService"}) {
    EXPECT_EQ(Check(service), HealthCheckResponse::SERVING) << service;
  }
}

TEST_F(ObserveTest, AWatcherSeesTheEnd) {
  grpc::ClientContext context;
  HealthCheckRequest request;
  const auto stub = Health::NewStub(channel_);
  const auto watch = stub->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  std::thread stopper([this] { server_->Stop(); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  stopper.join();
  context.TryCancel();
  watch->Finish();
}

TEST_F(ObserveTest, ReflectionNamesTheServices) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto await = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(await());
  const grpc::Slice list_services(std::string("\x3a\x00", 2));  // field 7, an empty string
  call->WriteLast(grpc::ByteBuffer(&list_services, 1), {}, nullptr);
  ASSERT_TRUE(await());
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  ASSERT_TRUE(await());
  grpc::Slice slice;
  ASSERT_TRUE(answer.DumpToSingleSlice(&slice).ok());
  const std::string text(reinterpret_cast<const char*>(slice.begin()), slice.size());
  for (const char* service :
       {"prequel.v1.ModelService", "prequel.v1.LearningService", "grpc.health.v1.Health"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(service));
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(await());
  EXPECT_TRUE(status.ok()) << status.error_message();
  queue.Shutdown();
}

TEST_F(ObserveTest, HttpAnswersWhatItKnows) {
  EXPECT_EQ(StatusOf(http_->Get("/v2/health/live")), 200);
  EXPECT_EQ(StatusOf(http_->Get("/v2/health/ready")), 200);
  EXPECT_EQ(StatusOf(http_->Get("/metrics")), 200);
  EXPECT_EQ(StatusOf(http_->Get("/nothing")), 404);
  EXPECT_EQ(StatusOf(http_->Get("/../etc/passwd")), 404);
  EXPECT_EQ(StatusOf(http_->Post("/metrics", "x", "text/plain")), 405);
  EXPECT_EQ(StatusOf(http_->Delete("/v2/health/live")), 405);
}

TEST_F(ObserveTest, MetricsCountWhatHappened) {
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(Learn(LinearBatch(1)).ok());
  v1::PredictResponse ignored;
  ASSERT_TRUE(Predict(LinearQuery(), &ignored).ok());
  v1::Batch bad = LinearBatch(1);
  bad.clear_targets();
  EXPECT_FALSE(Learn(bad).ok());
  EXPECT_FALSE(Learn(LinearBatch(1), nullptr, "nobody").ok());
  ASSERT_TRUE(CreateModel("classes", ClassesConfig()).ok());
  v1::Batch odd = LinearBatch(1, 3);
  *odd.mutable_targets() = MakeTensor({3}, {0, 3, 7});
  EXPECT_TRUE(Learn(odd, nullptr, "classes").ok());
  const httplib::Result metrics = http_->Get("/metrics");
  ASSERT_TRUE(metrics);
  for (const char* line :
       {"prequel_batches_total 2\n", "prequel_rows_total 11\n", "prequel_models 2\n",
        "prequel_models_without_skill 0\n", "prequel_models_changed{cause=\"inputs\"} 0\n",
        "prequel_rows_refused_total 2\n", "prequel_predicted_rows_total 3\n",
        "prequel_storage_healthy 1\n",
        "prequel_batches_refused_total{code=\"INVALID_ARGUMENT\"} 1\n",
        "prequel_batches_refused_total{code=\"NOT_FOUND\"} 1\n", "prequel_queued_batches 0\n",
        "prequel_model_revision{model=\"classes\"} 1\n", "prequel_model_rows{model=\"m\"} ",
        "prequel_model_newest_row_age_seconds{model=\"m\"} ", "prequel_commit_batches_total 2\n",
        "prequel_rpc_seconds_count{method=\"Learn\"} 4\n"}) {
    EXPECT_THAT(metrics->body, ::testing::HasSubstr(line));
  }
  EXPECT_THAT(metrics->body, ::testing::Not(::testing::HasSubstr("nobody")));
}

// By their names, as Prometheus' own tools expect: what is named *_total may be given to rate().
TEST_F(ObserveTest, MetricsAreOfTheTypeThatTheyAreNamedFor) {
  const std::map<std::string, std::string> types = MetricTypes();
  for (const auto& [name, type] : types) {
    EXPECT_EQ(name.ends_with("_total"), type == "counter") << name << " is a " << type;
  }
  for (const char* name :
       {"prequel_build_info", "prequel_connections_refused_total", "process_cpu_seconds_total",
        "process_max_fds", "process_open_fds", "process_resident_memory_bytes",
        "process_start_time_seconds", "process_virtual_memory_bytes"}) {
    EXPECT_TRUE(types.contains(name)) << name;
  }
}

TEST_F(ObserveTest, TheRunbookHasEveryMetric) {
  std::ifstream file(PREQUEL_RUNBOOK);
  const std::string runbook(std::istreambuf_iterator<char>(file), {});
  for (const auto& [name, type] : MetricTypes()) {
    EXPECT_THAT(runbook, ::testing::HasSubstr("`" + name)) << "deploy/runbook.md";
  }
}

TEST_F(ObserveTest, ManyScrapersAreServed) {
  std::vector<std::thread> scrapers;
  std::atomic<int> answered = 0;
  HostPort address;
  ASSERT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
  for (int i = 0; i < 40; ++i) {
    scrapers.emplace_back([&answered, &address, this] {
      httplib::Client client(address.host, address.port);
      client.set_read_timeout(30);
      if (StatusOf(client.Get("/metrics")) == 200) ++answered;
    });
  }
  for (std::thread& scraper : scrapers) scraper.join();
  EXPECT_EQ(answered, 40);
}

TEST_F(ObserveTest, PortsInUseAreRefusedInOneLine) {
  for (bool http : {false, true}) {
    ServerOptions other = options_;
    other.data_dir = directory_.path("other");
    (http ? other.http : other.listen) = http ? server_->http_address() : server_->address();
    const absl::StatusOr<std::unique_ptr<Server>> second = Server::Start(other);
    ASSERT_FALSE(second.ok());
    const std::string message(second.status().message());
    EXPECT_THAT(message, ::testing::HasSubstr("Address already in use"));
    EXPECT_EQ(message.find('\n'), message.npos);
  }
  EXPECT_EQ(Check(), HealthCheckResponse::SERVING);
}

TEST_F(ObserveTest, ADirectoryInUseIsRefusedInOneLine) {
  const absl::StatusOr<std::unique_ptr<Server>> second = Server::Start(options_);
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status())) << second.status();
  EXPECT_TRUE(CreateModel("m", LinearConfig()).ok());
}

}  // namespace
}  // namespace prequel::observe_test
