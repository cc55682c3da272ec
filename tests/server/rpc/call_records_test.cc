// What observers are told of calls: one record of each, of unary ones and of streams alike.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/rpc/learning/learning_service.h"
#include "server/rpc/models/model_service.h"
#include "server/wire_codec.h"
#include "tests/server/server/server_fixture.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::call_records_test {
namespace {

using std::chrono::system_clock;
using ::testing::AnyOf;

// A record that outlives the call.
struct Kept {
  std::string method, principal, resource, request_id;
  absl::StatusCode code;
  std::string message;
  system_clock::time_point start;
  std::chrono::nanoseconds duration;
  std::int64_t request_bytes, response_bytes, rows;
};

class Recorder final : public CallObserver {
 public:
  absl::Status MayBegin(std::string_view method) const override {
    return method == "Learn" && closed ? absl::UnavailableError("closed") : absl::OkStatus();
  }
  void OnCall(const CallRecord& call) override {
    MutexLock lock(mu_);
    kept_.push_back({std::string(call.method), std::string(call.principal),
                     std::string(call.resource), std::string(call.request_id), call.code,
                     std::string(call.message), call.start, call.duration, call.request_bytes,
                     call.response_bytes, call.rows});
    more_.NotifyAll();
  }

  // The only record there is, once there is one.
  Kept TakeOne() {
    MutexLock lock(mu_);
    while (kept_.empty()) more_.Wait(mu_);
    EXPECT_EQ(kept_.size(), 1U);
    Kept one = std::move(kept_.front());
    kept_.clear();
    return one;
  }

  std::atomic<bool> closed = false;

 private:
  Mutex mu_;
  CondVar more_;
  std::vector<Kept> kept_ ABSL_GUARDED_BY(mu_);
};

class CallRecordsTest : public ::testing::Test {
 protected:
  CallRecordsTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&model_service_);
    builder.RegisterService(&learning_service_);
    server_ = builder.BuildAndStart();
    const auto channel = grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                             grpc::InsecureChannelCredentials());
    models_ = v1::ModelService::NewStub(channel);
    learning_ = v1::LearningService::NewStub(channel);
    v1::CreateModelRequest request;
    request.set_model_id("m");
    *request.mutable_config() = LinearConfig();
    EXPECT_TRUE(Call(*models_, &v1::ModelService::Stub::CreateModel, request).ok());
    created_ = recorder_.TakeOne();
  }

  ~CallRecordsTest() override {
    server_->Shutdown(system_clock::now() + std::chrono::seconds(5));
    engine_->Shutdown(system_clock::now());
  }

  // Calls a unary method, and remembers how long both messages were.
  template <class Stub, class Request, class Response>
  grpc::Status Call(Stub& stub,
                    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request) {
    grpc::ClientContext context;
    context.set_deadline(system_clock::now() + std::chrono::seconds(30));
    Response response;
    grpc::Status status = (stub.*method)(&context, request, &response);
    request_bytes_ = static_cast<std::int64_t>(request.ByteSizeLong());
    response_bytes_ = status.ok() ? static_cast<std::int64_t>(response.ByteSizeLong()) : 0;
    return status;
  }

  // Of the last Call.
  void ExpectRecord(const Kept& kept, const std::string& method, const std::string& resource,
                    absl::StatusCode code, std::int64_t rows) {
    EXPECT_EQ(kept.method, method);
    EXPECT_EQ(kept.principal, "anonymous");
    EXPECT_EQ(kept.resource, resource);
    EXPECT_EQ(kept.code, code);
    EXPECT_EQ(kept.request_bytes, request_bytes_);
    EXPECT_EQ(kept.response_bytes, response_bytes_);
    EXPECT_EQ(kept.rows, rows);
  }

  std::unique_ptr<MemoryStore> store_ = MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
  const WireCodec codec_;
  const SystemClock clock_;
  std::unique_ptr<Engine> engine_ =
      Engine::Create({}, {*store_, *store_, *store_, codec_, clock_, {}}).value();
  // Of a caller whose calls last.
  static void Hold(CallPool& pool, const std::shared_future<void>& released) {
    pool.Run(
        {"somebody", ""}, {},
        [released](const CallPool::Proceed&) {
          released.wait();
          return absl::OkStatus();
        },
        [](const absl::Status&) {});
  }

  CallPool queries_{1, 8, "too many"}, long_queries_{1, 1, "too many long ones"},
      history_{1, 8, "too many"}, changes_{1, 8, "too many"};
  const CallPools pools_{queries_, long_queries_, history_, changes_};
  Recorder recorder_, other_recorder_;
  ModelServiceImpl model_service_{*engine_, pools_, {{&recorder_, &other_recorder_}, Gate()}};
  LearningServiceImpl learning_service_{*engine_, pools_, {{&recorder_}, Gate()}, {}};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::ModelService::Stub> models_;
  std::unique_ptr<v1::LearningService::Stub> learning_;
  std::int64_t request_bytes_ = 0, response_bytes_ = 0;
  Kept created_;
};

TEST_F(CallRecordsTest, EveryObserverIsTold) {
  ExpectRecord(created_, "CreateModel", "m", absl::StatusCode::kOk, 0);
  ExpectRecord(other_recorder_.TakeOne(), "CreateModel", "m", absl::StatusCode::kOk, 0);
}

TEST_F(CallRecordsTest, OfWhatIsLearnedAndPredicted) {
  const auto before = system_clock::now();
  v1::LearnRequest learn;
  learn.set_name("models/m");
  *learn.mutable_batch() = LinearBatch(1, 8);
  ASSERT_TRUE(Call(*learning_, &v1::LearningService::Stub::Learn, learn).ok());
  const Kept learned = recorder_.TakeOne();
  ExpectRecord(learned, "Learn", "models/m", absl::StatusCode::kOk, 8);
  EXPECT_GE(learned.start, before);
  EXPECT_GT(learned.duration.count(), 0);
  EXPECT_LE(learned.start + learned.duration, system_clock::now());

  v1::PredictRequest predict;
  predict.set_name("models/m");
  *predict.mutable_batch() = LinearQuery(3);
  ASSERT_TRUE(Call(*learning_, &v1::LearningService::Stub::Predict, predict).ok());
  ExpectRecord(recorder_.TakeOne(), "Predict", "models/m", absl::StatusCode::kOk, 3);

  v1::PredictThenLearnRequest both;
  both.set_name("models/m");
  *both.mutable_batch() = LinearBatch(2, 5);
  ASSERT_TRUE(Call(*learning_, &v1::LearningService::Stub::PredictThenLearn, both).ok());
  ExpectRecord(recorder_.TakeOne(), "PredictThenLearn", "models/m", absl::StatusCode::kOk, 5);

  v1::GetEvaluationRequest evaluate;
  evaluate.set_name("models/m");
  ASSERT_TRUE(Call(*learning_, &v1::LearningService::Stub::GetEvaluation, evaluate).ok());
  ExpectRecord(recorder_.TakeOne(), "GetEvaluation", "models/m", absl::StatusCode::kOk, 0);
}

TEST_F(CallRecordsTest, ModelsAreMadeAndDeletedBesideQueries) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  v1::CreateModelRequest create;
  create.set_model_id("n");
  *create.mutable_config() = LinearConfig();
  v1::DeleteModelRequest remove;
  remove.set_name("models/n");
  Hold(queries_, released);
  EXPECT_TRUE(Call(*models_, &v1::ModelService::Stub::CreateModel, create).ok());
  EXPECT_TRUE(Call(*models_, &v1::ModelService::Stub::DeleteModel, remove).ok());
  release.set_value();
}

TEST_F(CallRecordsTest, QueriesThatTakeLongAreWorkedOnBesideTheOthers) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  for (int i = 0; i < 2; ++i) Hold(long_queries_, released);  // one runs, one waits, none has room
  v1::PredictRequest predict;
  predict.set_name("models/m");
  *predict.mutable_batch() = LinearQuery(3);
  EXPECT_TRUE(Call(*learning_, &v1::LearningService::Stub::Predict, predict).ok());
  *predict.mutable_batch() = LinearQuery(60'000);
  const grpc::Status status = Call(*learning_, &v1::LearningService::Stub::Predict, predict);
  EXPECT_EQ(status.error_message(), "too many long ones");
  release.set_value();
}

TEST_F(CallRecordsTest, AnObserverMayRefuseACall) {
  v1::LearnRequest learn;
  learn.set_name("models/m");
  *learn.mutable_batch() = LinearBatch(1, 8);
  recorder_.closed = true;
  const grpc::Status status = Call(*learning_, &v1::LearningService::Stub::Learn, learn);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(engine_->GetPublished("m")->revision, 0);
  ExpectRecord(recorder_.TakeOne(), "Learn", "models/m", absl::StatusCode::kUnavailable, 0);
  recorder_.closed = false;
  EXPECT_TRUE(Call(*learning_, &v1::LearningService::Stub::Learn, learn).ok());
}

TEST_F(CallRecordsTest, OfWhatIsRefused) {
  v1::LearnRequest learn;
  learn.set_name("models/nobody");
  *learn.mutable_batch() = LinearBatch(1);
  EXPECT_FALSE(Call(*learning_, &v1::LearningService::Stub::Learn, learn).ok());
  ExpectRecord(recorder_.TakeOne(), "Learn", "models/nobody", absl::StatusCode::kNotFound, 0);
  learn.set_name("models/m");
  learn.mutable_batch()->clear_targets();
  EXPECT_FALSE(Call(*learning_, &v1::LearningService::Stub::Learn, learn).ok());
  ExpectRecord(recorder_.TakeOne(), "Learn", "models/m", absl::StatusCode::kInvalidArgument, 0);
  EXPECT_TRUE(Call(*models_, &v1::ModelService::Stub::ListModels, {}).ok());
  ExpectRecord(recorder_.TakeOne(), "ListModels", "", absl::StatusCode::kOk, 0);
}

// What the server gives back of `headers` as the call's, or "none".
std::string GivenBack(const std::multimap<grpc::string_ref, grpc::string_ref>& headers) {
  const auto id = headers.find("x-request-id");
  return id == headers.end() ? "none" : std::string(id->second.data(), id->second.size());
}

TEST_F(CallRecordsTest, ARequestIdIsToldAndGivenBack) {
  for (const bool good : {true, false}) {
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", "7f3a-91");
    v1::GetModelRequest request;
    request.set_name(good ? "models/m" : "models/nobody");
    v1::Model ignored;
    EXPECT_EQ(models_->GetModel(&context, request, &ignored).ok(), good);
    EXPECT_EQ(GivenBack(context.GetServerInitialMetadata()), "7f3a-91");
    const Kept kept = recorder_.TakeOne();
    EXPECT_EQ(kept.request_id, "7f3a-91");
    EXPECT_EQ(kept.message, good ? "" : "model \"nobody\" does not exist");
  }
}

TEST_F(CallRecordsTest, ARequestIdOfAStreamIsToldAndGivenBack) {
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "of-a-stream");
  const auto stream = learning_->LearnStream(&context);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(GivenBack(context.GetServerInitialMetadata()), "of-a-stream");
  EXPECT_EQ(recorder_.TakeOne().request_id, "of-a-stream");
}

TEST_F(CallRecordsTest, ARequestIdThatCannotStandInALineIsIgnored) {
  for (const std::string& id :
       {std::string(129, 'x'), std::string("two words"), std::string(), std::string("none")}) {
    grpc::ClientContext context;
    if (id != "none") context.AddMetadata("x-request-id", id);
    v1::ListModelsResponse ignored;
    EXPECT_TRUE(models_->ListModels(&context, {}, &ignored).ok());
    EXPECT_EQ(GivenBack(context.GetServerInitialMetadata()), "none") << id;
    EXPECT_EQ(recorder_.TakeOne().request_id, "");
  }
}

TEST_F(CallRecordsTest, OfAStreamIsOneWithTheSumOfItsMessages) {
  grpc::ClientContext context;
  const auto stream = learning_->LearnStream(&context);
  request_bytes_ = response_bytes_ = 0;
  for (const std::string name : {"models/nobody", "models/m", ""}) {
    v1::LearnStreamRequest request;
    request.set_name(name);
    *request.mutable_batch() = LinearBatch(1, 4);
    request_bytes_ += static_cast<std::int64_t>(request.ByteSizeLong());
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  v1::LearnStreamResponse response;
  while (stream->Read(&response)) {
    response_bytes_ += static_cast<std::int64_t>(response.ByteSizeLong());
  }
  EXPECT_TRUE(stream->Finish().ok());
  ExpectRecord(recorder_.TakeOne(), "LearnStream", "models/m", absl::StatusCode::kOk, 8);
}

TEST_F(CallRecordsTest, OfAStreamThatIsCancelled) {
  grpc::ClientContext context;
  const auto stream = learning_->LearnStream(&context);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  const Kept kept = recorder_.TakeOne();
  EXPECT_EQ(kept.method, "LearnStream");
  // Whichever the server sees first: that nothing more comes, or why.
  EXPECT_THAT(kept.code, AnyOf(absl::StatusCode::kOk, absl::StatusCode::kCancelled));
}

// A stream that the server ends says of which model it was, as other errors do.
TEST_F(CallRecordsTest, OfAStreamThatIsDrained) {
  grpc::ClientContext context;
  const auto stream = learning_->LearnStream(&context);
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1, 4);
  ASSERT_TRUE(stream->Write(request));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  learning_service_.DrainStreams();
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(recorder_.TakeOne().code, absl::StatusCode::kUnavailable);
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.metadata().at("model"), "models/m");
}

TEST_F(CallRecordsTest, OfAModelThatGoesAndComes) {
  v1::ExportModelRequest request;
  request.set_name("models/m");
  request_bytes_ = static_cast<std::int64_t>(request.ByteSizeLong());
  grpc::ClientContext context;
  const auto exported = models_->ExportModel(&context, request);
  std::vector<v1::ImportModelRequest> pieces(1);
  pieces[0].set_model_id("copy");
  v1::ModelFilePiece piece;
  response_bytes_ = 0;
  while (exported->Read(&piece)) {
    response_bytes_ += static_cast<std::int64_t>(piece.ByteSizeLong());
    pieces.emplace_back().set_data(piece.data());
  }
  ASSERT_TRUE(exported->Finish().ok());
  ExpectRecord(recorder_.TakeOne(), "ExportModel", "models/m", absl::StatusCode::kOk, 0);

  for (const absl::StatusCode code : {absl::StatusCode::kOk, absl::StatusCode::kAlreadyExists}) {
    grpc::ClientContext import_context;
    v1::Model model;
    const auto import = models_->ImportModel(&import_context, &model);
    request_bytes_ = 0;
    for (const v1::ImportModelRequest& next : pieces) {
      request_bytes_ += static_cast<std::int64_t>(next.ByteSizeLong());
      ASSERT_TRUE(import->Write(next));
    }
    import->WritesDone();
    EXPECT_EQ(static_cast<int>(import->Finish().error_code()), static_cast<int>(code));
    response_bytes_ = static_cast<std::int64_t>(model.ByteSizeLong());
    ExpectRecord(recorder_.TakeOne(), "ImportModel", "copy", code, 0);
  }
}

}  // namespace
}  // namespace prequel::call_records_test
