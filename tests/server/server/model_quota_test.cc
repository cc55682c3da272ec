// What each model may be used for, over the network, whoever asks.
#include <memory>
#include <string>

#include "tests/server/server/quota_fixture.h"

namespace prequel::model_quota_test {
namespace {

using grpc::StatusCode;

// Those of `m` and of `m2` are bounded, of `free` they are not.
class ModelQuotaTest : public QuotaTest {
 protected:
  void Start(const std::string& quotas) {
    QuotaTest::Start("[models/m*]\n" + quotas);
    EXPECT_TRUE(Create("owner", "m2").ok());
    EXPECT_TRUE(Create("owner", "free").ok());
  }

  // A call about `m` that is in flight until Unwatch.
  void Watch() {
    v1::WatchEvaluationRequest request;
    request.set_name("models/m");
    watch_ = learning_->WatchEvaluation(watching_.get(), request);
    v1::GetEvaluationResponse first;
    ASSERT_TRUE(watch_->Read(&first));
  }
  void Unwatch() {
    watching_->TryCancel();
    EXPECT_EQ(watch_->Finish().error_code(), StatusCode::CANCELLED);
  }

  // Everybody is refused `m`, by all ways, and nobody another model.
  void ExpectBusy(const std::string& quota, double retry) {
    for (const std::string token : {"owner", "bounded"}) {
      ExpectRefusal(PredictAs(token), quota, retry, "models/m");
      ExpectRefusal(LearnAs(token, 1), quota, retry, "models/m");
      ExpectRefusal(InferAs(token), quota, retry, "models/m");
      EXPECT_EQ(PostAs(token), 429);
    }
    EXPECT_TRUE(PredictAs("bounded", 0, "m2").ok());
    EXPECT_TRUE(LearnAs("owner", 1, "free").ok());
    EXPECT_TRUE(PredictAs("owner", 0, "free").ok());
  }

  const std::unique_ptr<grpc::ClientContext> watching_ = As("owner");
  std::unique_ptr<grpc::ClientReader<v1::GetEvaluationResponse>> watch_;
};

TEST_F(ModelQuotaTest, CallsInFlight) {
  Start("calls_in_flight = 1");
  Watch();
  ExpectBusy("calls_in_flight", 1);
  Unwatch();
  EXPECT_TRUE(Await([this] { return PredictAs("bounded").ok(); }));
}

TEST_F(ModelQuotaTest, BytesInFlight) {
  Start("bytes_in_flight = 10");
  Watch();
  ExpectBusy("bytes_in_flight", 1);
  Unwatch();
  EXPECT_TRUE(Await([this] { return PredictAs("bounded").ok(); }));
}

// Nobody can use a model so that it cannot be taken away.
TEST_F(ModelQuotaTest, ABusyModelIsDeletedAllTheSame) {
  Start("calls_in_flight = 1\nbytes_in_flight = 10");
  Watch();
  EXPECT_TRUE(DeleteAs("owner", "m").ok());
  v1::GetEvaluationResponse ignored;
  EXPECT_FALSE(watch_->Read(&ignored));
  EXPECT_EQ(watch_->Finish().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(ModelQuotaTest, RowsPerSecond) {
  Start("rows_per_second = 1");
  EXPECT_TRUE(LearnAs("bounded", 5000).ok());
  ExpectBusy("rows_per_second", 5001);
}

// A stream is a call of its caller; to its model each minibatch in flight is one.
TEST_F(ModelQuotaTest, AnIdleStreamIsInNobodysWay) {
  Start("calls_in_flight = 1");
  const auto context = As("bounded");
  const auto stream = learning_->LearnStream(context.get());
  for (int i = 0; i < 20; ++i) {
    v1::LearnStreamRequest request;
    request.set_name(i % 2 == 0 ? "models/m" : "models/m2");
    *request.mutable_batch() = LinearBatch(i);
    ASSERT_TRUE(stream->Write(request));
  }
  for (int i = 0; i < 20; ++i) {
    v1::LearnStreamResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_FALSE(response.has_error()) << response.error().message();
  }
  EXPECT_TRUE(PredictAs("owner").ok());
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(ModelQuotaTest, OfWhatDoesNotExistThereAreNone) {
  Start("rows_per_second = 1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(LearnAs("bounded", 1000, "missing").error_code(), StatusCode::NOT_FOUND);
  }
}

// Whoever may use a model cannot use it up for others by saying that it sends much.
TEST_F(ModelQuotaTest, RowsThatAreNotSentAreNotPaidFor) {
  Start("rows_per_second = 1000");
  v1::LearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1);
  request.mutable_batch()->mutable_inputs()->set_shape(0, std::int64_t{1} << 60);
  v1::LearnResponse response;
  EXPECT_EQ(learning_->Learn(As("bounded").get(), request, &response).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(LearnAs("owner", 1).ok());
}

TEST_F(ModelQuotaTest, ANewPolicyCountsForWhatIsInUse) {
  Start("rows_per_second = 1");
  EXPECT_TRUE(LearnAs("bounded", 5000).ok());
  const std::string late = "[late]\ntoken = sha256:" + Hash("late") + "\nrole = read\nmodels = *\n";
  WritePolicy(late + "[models/*]\nrows_per_second = 2");
  EXPECT_TRUE(Await([this] { return PredictAs("late", 0, "free").ok(); }));
  // What was owed is, and the new limit says how long.
  ExpectRefusal(PredictAs("bounded"), "rows_per_second", 2501, "models/m");
  EXPECT_TRUE(
      Await([this] { return RefusalOf(LearnAs("owner", 5000, "free")).owner == "models/free"; }));
  WritePolicy(late + "[models/other]\nrows_per_second = 2");
  EXPECT_TRUE(Await([this] { return PredictAs("bounded").ok(); }));
}

}  // namespace
}  // namespace prequel::model_quota_test
