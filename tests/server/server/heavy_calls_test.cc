// Calls that take long or hold much: bounded, and in nobody's way.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/server/server_fixture.h"

namespace prequel::heavy_calls_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(20);

class HeavyCallsTest : public ServerTest {
 protected:
  void SetUp() override {
    options_.workers = 1;
    options_.queue_history = 1;
    options_.snapshot_batches = 0;
    StartServer();
  }

  // Its first revisions take long to return to.
  void CreateSlowModel() {
    ASSERT_TRUE(
        CreateModel("m", ParseConfig("features { name: 'x' width: 2 } target { name: 'y' }"
                                     "model { name: 'mlp' options { fields { key: 'hidden' value {"
                                     "list_value { values { number_value: 64 } } } } } }"
                                     "likelihood { name: 'gaussian' }"))
            .ok());
    for (int i = 0; i < kRevisions; ++i) ASSERT_TRUE(Learn(LinearBatch(i, 300)).ok());
  }

  grpc::Status PredictAt(std::int64_t revision) {
    grpc::ClientContext context;
    v1::PredictRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearQuery();
    request.set_revision(revision);
    v1::PredictResponse response;
    return learning_->Predict(&context, request, &response);
  }

  template <class Request, class Response>
  grpc::Status Call(grpc::Status (v1::ModelService::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Response*),
                    Request request) {
    grpc::ClientContext context;
    Response response;
    request.set_name("models/m");
    return (models_.get()->*method)(&context, request, &response);
  }

  grpc::Status Export() {
    grpc::ClientContext context;
    v1::ExportModelRequest request;
    request.set_name("models/m");
    const auto reader = models_->ExportModel(&context, request);
    v1::ModelFilePiece piece;
    while (reader->Read(&piece)) continue;
    return reader->Finish();
  }

  grpc::Status Import() {
    grpc::ClientContext context;
    v1::Model model;
    const auto writer = models_->ImportModel(&context, &model);
    writer->WritesDone();
    return writer->Finish();
  }

  static constexpr int kRevisions = 8;
};

// Three clients that return to the past all the time: one is served, one waits, one is refused.
class PastReaders {
 public:
  explicit PastReaders(const std::function<grpc::Status()>& read) {
    for (std::thread& reader : readers_) {
      reader = std::thread([this, read] {
        while (!stop_) {
          const grpc::Status status = read();
          EXPECT_TRUE(status.ok() || Exhausted(status)) << status.error_message();
          if (status.ok()) ++answered_;
          if (Exhausted(status)) {
            refused_ = true;
            std::this_thread::sleep_for(milliseconds(1));
          }
        }
      });
    }
    const auto end = steady_clock::now() + kPatience;
    while (!refused_ && steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(refused_);
  }
  ~PastReaders() {
    stop_ = true;
    for (std::thread& reader : readers_) reader.join();
  }

  static bool Exhausted(const grpc::Status& status) {
    return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  }
  int answered() const { return answered_; }

 private:
  std::atomic<bool> stop_ = false, refused_ = false;
  std::atomic<int> answered_ = 0;
  std::thread readers_[3];
};

TEST_F(HeavyCallsTest, QueriesDoNotWaitForThem) {
  CreateSlowModel();
  const PastReaders past([this] { return PredictAt(kRevisions - 1); });
  constexpr int kQueries = 20;
  const int before = past.answered();
  for (int i = 0; i < kQueries; ++i) {
    v1::PredictResponse response;
    ASSERT_TRUE(Predict(LinearQuery(), &response).ok());
    EXPECT_EQ(response.revision(), kRevisions);
  }
  EXPECT_LT(past.answered() - before, kQueries / 2);
}

TEST_F(HeavyCallsTest, TheirQueueIsBounded) {
  CreateSlowModel();
  const PastReaders past([this] { return PredictAt(kRevisions - 1); });
  int forks = 0;
  const auto fork = [&] {
    v1::ForkModelRequest request;
    request.set_model_id("fork" + std::to_string(forks++));
    return Call(&v1::ModelService::Stub::ForkModel, request);
  };
  v1::RollbackModelRequest rollback;
  rollback.set_revision(kRevisions);
  using Stub = v1::ModelService::Stub;
  const std::pair<const char*, std::function<grpc::Status()>> calls[] = {
      {"CreateSnapshot", [&] { return Call(&Stub::CreateSnapshot, v1::CreateSnapshotRequest()); }},
      {"RollbackModel", [&] { return Call(&Stub::RollbackModel, rollback); }},
      {"ForkModel", fork},
      {"ExportModel", [&] { return Export(); }},
      {"ImportModel", [&] { return Import(); }},
  };
  for (const auto& [name, call] : calls) {
    // Any may come just when there is room.
    const auto end = steady_clock::now() + kPatience;
    grpc::Status status = call();
    while (!PastReaders::Exhausted(status) && steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(2));
      status = call();
    }
    EXPECT_EQ(PartsOf(status).reason, "LIMIT_REACHED") << name;
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr("--queue-history")) << name;
  }
}

class OpenImport {
 public:
  OpenImport(v1::ModelService::Stub& models, std::string id)
      : writer_(models.ImportModel(&context_, &model_)) {
    request_.set_model_id(std::move(id));
  }
  // False once the server has ended the call.
  bool Write() { return writer_->Write(request_); }
  grpc::Status Finish() {
    writer_->WritesDone();
    return writer_->Finish();
  }
  grpc::Status AwaitEnd() { return writer_->Finish(); }

 private:
  grpc::ClientContext context_;
  v1::Model model_;
  v1::ImportModelRequest request_;
  const std::unique_ptr<grpc::ClientWriter<v1::ImportModelRequest>> writer_;
};

// Idle ones hold nothing, and are ended.
TEST_F(HeavyCallsTest, ImportsThatDoNotGoOnAreInNobodysWay) {
  StopServer();
  options_.patience = std::chrono::seconds(1);
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  std::vector<std::unique_ptr<OpenImport>> imports;
  for (int i = 0; i < 20; ++i) {
    imports.push_back(std::make_unique<OpenImport>(*models_, "n" + std::to_string(i)));
    EXPECT_TRUE(imports.back()->Write());
  }
  EXPECT_TRUE(Export().ok());
  EXPECT_EQ(imports[0]->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT) << "no file";
  // Nobody writes any more: only the server can end it.
  EXPECT_EQ(imports[1]->AwaitEnd().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace prequel::heavy_calls_test
