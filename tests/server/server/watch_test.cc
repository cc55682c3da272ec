// WatchEvaluation: the newest evaluation whenever a model has learned, and how such a stream ends.
#include <chrono>
#include <memory>
#include <vector>

#include "tests/server/server/server_fixture.h"

namespace prequel::watch_test {
namespace {

using grpc::StatusCode;
using std::chrono::steady_clock;

class WatchTest : public ServerTest {
 protected:
  using Reader = std::unique_ptr<grpc::ClientReader<v1::GetEvaluationResponse>>;

  void SetUp() override {
    options_.watch_rate = 1000;
    StartServer();
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  }

  Reader Watch(grpc::ClientContext& context, int interval_ms = 0, const std::string& id = "m") {
    v1::WatchEvaluationRequest request;
    request.set_name("models/" + id);
    request.mutable_min_interval()->set_nanos(interval_ms * 1'000'000);
    return learning_->WatchEvaluation(&context, request);
  }
};

TEST_F(WatchTest, TellsTheNewestAndThenWhatIsNew) {
  ASSERT_TRUE(Learn(LinearBatch(0)).ok());
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(reader->Read(&evaluation));
  EXPECT_EQ(evaluation.revision(), 1);
  for (int i = 1; i < 20; ++i) {
    ASSERT_TRUE(Learn(LinearBatch(i)).ok());
    ASSERT_TRUE(reader->Read(&evaluation));
    EXPECT_EQ(evaluation.revision(), i + 1);
  }
  // As GetEvaluation has it.
  grpc::ClientContext asking;
  v1::GetEvaluationRequest request;
  request.set_name("models/m");
  v1::GetEvaluationResponse asked;
  ASSERT_TRUE(learning_->GetEvaluation(&asking, request, &asked).ok());
  EXPECT_EQ(evaluation.SerializeAsString(), asked.SerializeAsString());
  context.TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::CANCELLED);
}

// Answers come no faster than was asked for, each is newer than the last, and the last of all
// comes.
TEST_F(WatchTest, SkipsWhatIsNotTheNewest) {
  grpc::ClientContext context;
  constexpr int kIntervalMs = 100, kBatches = 300;
  const Reader reader = Watch(context, kIntervalMs);
  v1::GetEvaluationResponse evaluation;
  const auto start = steady_clock::now();
  for (int i = 0; i < kBatches; ++i) ASSERT_TRUE(Learn(LinearBatch(i)).ok());
  std::int64_t last = -1;
  int answers = 0;
  while (last < kBatches && reader->Read(&evaluation)) {
    EXPECT_GT(evaluation.revision(), last);
    last = evaluation.revision();
    ++answers;
  }
  EXPECT_EQ(last, kBatches);
  const auto took = std::chrono::duration<double, std::milli>(steady_clock::now() - start);
  EXPECT_LE(answers, took.count() / kIntervalMs + 1);
  context.TryCancel();
}

TEST_F(WatchTest, TheServersRateIsTheBound) {
  StopServer();
  options_.watch_rate = 4;
  StartServer();
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(reader->Read(&evaluation));
  const auto start = steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Learn(LinearBatch(i)).ok());
    ASSERT_TRUE(reader->Read(&evaluation));
  }
  EXPECT_GE(steady_clock::now() - start, std::chrono::milliseconds(600));
  context.TryCancel();
}

TEST_F(WatchTest, EndsWhenTheModelIsDeleted) {
  grpc::ClientContext context, deleting;
  const Reader reader = Watch(context);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(reader->Read(&evaluation));
  v1::DeleteModelRequest request;
  request.set_name("models/m");
  google::protobuf::Empty ignored;
  ASSERT_TRUE(models_->DeleteModel(&deleting, request, &ignored).ok());
  EXPECT_FALSE(reader->Read(&evaluation));
  const ErrorParts parts = PartsOf(reader->Finish());
  EXPECT_EQ(parts.code, StatusCode::NOT_FOUND);
  EXPECT_EQ(parts.reason, "MODEL_NOT_FOUND");
}

TEST_F(WatchTest, EndsWhenTheServerStops) {
  grpc::ClientContext context;
  const Reader reader = Watch(context);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(reader->Read(&evaluation));
  const auto start = steady_clock::now();
  server_->Stop();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_FALSE(reader->Read(&evaluation));
  EXPECT_EQ(PartsOf(reader->Finish()).code, StatusCode::UNAVAILABLE);
}

TEST_F(WatchTest, EndsAtItsDeadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  const Reader reader = Watch(context);
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(reader->Read(&evaluation));
  EXPECT_FALSE(reader->Read(&evaluation));
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(WatchTest, RefusesWhatMakesNoSense) {
  v1::GetEvaluationResponse evaluation;
  {
    grpc::ClientContext context;
    const Reader reader = Watch(context, -1);
    EXPECT_FALSE(reader->Read(&evaluation));
    EXPECT_EQ(PartsOf(reader->Finish()).fields, std::vector<std::string>{"min_interval"});
  }
  grpc::ClientContext context;
  const Reader reader = Watch(context, 0, "nobody");
  EXPECT_FALSE(reader->Read(&evaluation));
  EXPECT_EQ(PartsOf(reader->Finish()).reason, "MODEL_NOT_FOUND");
}

// Some watch, some learn, some go away without a word, and the server stops in the middle.
TEST_F(WatchTest, ManyComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    grpc::ClientContext context;
    const Reader reader = Watch(context);
    v1::GetEvaluationResponse evaluation;
    if (i % 2 == 0) reader->Read(&evaluation);
    if (i % 5 == 0) {
      ASSERT_TRUE(Learn(LinearBatch(i)).ok());
    }
    context.TryCancel();
    if (i % 3 == 0) (void)reader->Finish();
  }
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<Reader> readers;
  v1::GetEvaluationResponse evaluation;
  for (int i = 0; i < 50; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    readers.push_back(Watch(*contexts.back()));
  }
  for (const Reader& reader : readers) ASSERT_TRUE(reader->Read(&evaluation));
  ASSERT_TRUE(Learn(LinearBatch(7)).ok());
  server_->Stop();
  for (const Reader& reader : readers) {
    while (reader->Read(&evaluation)) {
    }
    EXPECT_EQ(reader->Finish().error_code(), StatusCode::UNAVAILABLE);
  }
}

}  // namespace
}  // namespace prequel::watch_test
