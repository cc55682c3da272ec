// Producers and request ids, as clients see them.
#include <cmath>
#include <utility>

#include "tests/server/server/server_fixture.h"

namespace prequel::exactly_once_test {
namespace {

std::string MetadataOf(const google::rpc::Status& status, const std::string& key) {
  for (const google::protobuf::Any& detail : status.details()) {
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&info) && info.metadata().contains(key)) return info.metadata().at(key);
  }
  return "";
}

class ExactlyOnceTest : public ServerTest {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::LearnStreamRequest, v1::LearnStreamResponse>;

  void SetUp() override {
    StartServer();
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  }

  // A stream's answers to `producer`, with and after those to `batches` under their numbers.
  std::vector<v1::LearnStreamResponse> Push(
      const std::string& producer, const std::vector<std::pair<std::int64_t, v1::Batch>>& batches) {
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
    v1::LearnStreamRequest hello;
    hello.set_name("models/m");
    hello.set_producer(producer);
    stream->Write(hello);
    for (const auto& [sequence, batch] : batches) {
      v1::LearnStreamRequest request;
      request.set_sequence(sequence);
      *request.mutable_batch() = batch;
      stream->Write(request);
    }
    stream->WritesDone();
    std::vector<v1::LearnStreamResponse> answers;
    v1::LearnStreamResponse answer;
    while (stream->Read(&answer)) answers.push_back(answer);
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(answers.size(), batches.size() + 1);
    answers.resize(batches.size() + 1);
    return answers;
  }

  static v1::LearnRequest Request(int seed) {
    v1::LearnRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearBatch(seed);
    return request;
  }

  grpc::Status Send(const v1::LearnRequest& request, v1::LearnResponse* response) {
    grpc::ClientContext context;
    return learning_->Learn(&context, request, response);
  }
};

TEST_F(ExactlyOnceTest, AStreamIsToldWhereToResumeAndRepeatsAreAnswered) {
  auto first = Push("p", {{1, LinearBatch(1)}, {2, LinearBatch(2)}});
  EXPECT_EQ(first[0].index(), 0);
  EXPECT_EQ(first[0].resume().next_sequence(), 1);
  EXPECT_EQ(first[2].learned().revision(), 2);
  const std::string before = Fingerprint();
  StopServer();
  StartServer();
  const auto second = Push("p", {{1, LinearBatch(1)}, {2, LinearBatch(2)}});
  EXPECT_EQ(second[0].resume().next_sequence(), 3);
  for (std::size_t i = 1; i <= 2; ++i) {
    EXPECT_FALSE(first[i].learned().repeated());
    EXPECT_TRUE(second[i].learned().repeated());
    first[i].mutable_learned()->set_repeated(true);
    EXPECT_EQ(first[i].SerializeAsString(), second[i].SerializeAsString());
  }
  EXPECT_EQ(Fingerprint(), before);
  EXPECT_EQ(Push("p", {{3, LinearBatch(3)}})[1].learned().revision(), 3);
}

TEST_F(ExactlyOnceTest, AGapSaysWhichNumberIsDue) {
  const auto answers = Push("p", {{1, LinearBatch(1)}, {3, LinearBatch(3)}, {2, LinearBatch(2)}});
  EXPECT_EQ(PartsOf(answers[2].error()).code, grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(PartsOf(answers[2].error()).reason, "SEQUENCE_OUT_OF_RANGE");
  EXPECT_EQ(MetadataOf(answers[2].error(), "expected_sequence"), "2");
  EXPECT_EQ(answers[3].learned().revision(), 2);
}

// Bad in three ways: no tensor, the wrong width, NaN. Those behind are learned.
TEST_F(ExactlyOnceTest, BadContentUsesUpItsNumber) {
  v1::Batch malformed = LinearBatch(1, 2);
  malformed.mutable_inputs()->mutable_data()->pop_back();
  v1::Batch narrow = LinearBatch(1, 2);
  *narrow.mutable_inputs() = MakeTensor({2, 1}, {1, 2});
  v1::Batch nan = LinearBatch(1, 1);
  *nan.mutable_inputs() = MakeTensor({1, 2}, {1, std::nan("")});
  const std::vector<std::pair<std::int64_t, v1::Batch>> batches = {
      {1, malformed}, {2, narrow}, {3, nan}, {4, LinearBatch(4)}};
  const auto first = Push("p", batches);
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(PartsOf(first[i].error()).code, grpc::StatusCode::INVALID_ARGUMENT) << i;
    EXPECT_EQ(PartsOf(first[i].error()).fields.size(), 1u) << i;
  }
  EXPECT_EQ(first[4].learned().revision(), 1);
  StopServer();
  StartServer();
  const auto second = Push("p", batches);
  EXPECT_EQ(second[0].resume().next_sequence(), 5);
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(second[i].error().message(), first[i].error().message());
    EXPECT_EQ(PartsOf(second[i].error()).fields, PartsOf(first[i].error()).fields);
  }
}

TEST_F(ExactlyOnceTest, ARequestIdIsLearnedOnce) {
  v1::LearnRequest request = Request(1);
  request.set_request_id("6ba7b810-9dad-41d1-80b4-00c04fd430c8");
  v1::LearnResponse first, second;
  ASSERT_TRUE(Send(request, &first).ok());
  ASSERT_TRUE(Send(request, &second).ok());
  EXPECT_FALSE(first.repeated());
  EXPECT_TRUE(second.repeated());
  EXPECT_EQ(second.revision(), first.revision());
  EXPECT_EQ(second.scores().SerializeAsString(), first.scores().SerializeAsString());
}

// Before a restart and after it, the repeat has the same answer.
TEST_F(ExactlyOnceTest, ARepeatCountsNoUnseenCategories) {
  v1::ModelConfig config = LinearConfig();
  v1::Feature& feature = *config.add_features();
  feature.set_name("c");
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  ASSERT_TRUE(CreateModel("categories", config).ok());
  v1::LearnRequest request;
  v1::LearnResponse response;
  for (const char* value : {"a", "b"}) {
    request = Request(1);
    request.set_name("models/categories");
    request.set_request_id(value);
    v1::TextColumn& text = *request.mutable_batch()->add_text();
    for (int i = 0; i < 8; ++i) text.add_values(value);
    ASSERT_TRUE(Send(request, &response).ok());
  }
  EXPECT_EQ(response.report().unseen_categories(), 8);
  v1::LearnResponse repeat, later;
  ASSERT_TRUE(Send(request, &repeat).ok());
  StopServer();
  StartServer();
  ASSERT_TRUE(Send(request, &later).ok());
  EXPECT_TRUE(repeat.repeated());
  EXPECT_EQ(repeat.report().unseen_categories(), 0);
  EXPECT_EQ(later.SerializeAsString(), repeat.SerializeAsString());
}

TEST_F(ExactlyOnceTest, AUnaryCallMayContinueAStream) {
  Push("p", {{1, LinearBatch(1)}});
  v1::PredictThenLearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(2);
  request.set_producer("p");
  request.set_sequence(2);
  v1::PredictThenLearnResponse first, second;
  for (v1::PredictThenLearnResponse* response : {&first, &second}) {
    grpc::ClientContext context;
    ASSERT_TRUE(learning_->PredictThenLearn(&context, request, response).ok());
    EXPECT_EQ(response->revision(), 2);
  }
  EXPECT_FALSE(first.predictions().outputs().empty());
  EXPECT_TRUE(second.repeated());
  EXPECT_TRUE(second.predictions().outputs().empty()) << "predictions are not remembered";
  EXPECT_EQ(Push("p", {})[0].resume().next_sequence(), 3);
}

TEST_F(ExactlyOnceTest, OriginsThatCannotBe) {
  const auto field = [this](auto set) {
    v1::LearnRequest request = Request(1);
    set(request);
    v1::LearnResponse response;
    const ErrorParts parts = PartsOf(Send(request, &response));
    EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
    return parts.fields.empty() ? "" : parts.fields[0];
  };
  EXPECT_EQ(field([](v1::LearnRequest& r) { r.set_producer("p"); }), "sequence");
  EXPECT_EQ(field([](v1::LearnRequest& r) { r.set_sequence(1); }), "producer");
  EXPECT_EQ(field([](v1::LearnRequest& r) { r.set_request_id(std::string(129, 'x')); }),
            "request_id");
  EXPECT_EQ(field([](v1::LearnRequest& r) {
              r.set_request_id("x");
              r.set_producer("p");
              r.set_sequence(1);
            }),
            "request_id");
  v1::LearnResponse response;
  ASSERT_TRUE(Send(Request(1), &response).ok());
  EXPECT_EQ(response.revision(), 1);
}

TEST_F(ExactlyOnceTest, AProducerIsNamedInAMessageOfItsOwn) {
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  v1::LearnStreamRequest both;
  both.set_name("models/m");
  both.set_producer("p");
  both.set_sequence(1);
  *both.mutable_batch() = LinearBatch(1);
  stream->Write(both);
  v1::LearnStreamRequest hello;
  hello.set_producer(std::string(129, 'p'));
  stream->Write(hello);
  v1::LearnStreamRequest numbered;
  numbered.set_sequence(1);
  *numbered.mutable_batch() = LinearBatch(1);
  stream->Write(numbered);
  stream->WritesDone();
  v1::LearnStreamResponse answer;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream->Read(&answer));
    EXPECT_EQ(PartsOf(answer.error()).fields, std::vector<std::string>{"producer"}) << i;
  }
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace prequel::exactly_once_test
