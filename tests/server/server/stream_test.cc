// LearnStream: pipelined, in order, and robust against what clients do.
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <thread>

#include "tests/server/server/server_fixture.h"

namespace prequel::stream_test {
namespace {

class StreamTest : public ServerTest {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::LearnStreamRequest, v1::LearnStreamResponse>;

  void SetUp() override {
    StartServer();
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  }

  static v1::LearnStreamRequest Request(const v1::Batch& batch, const std::string& name = "") {
    v1::LearnStreamRequest request;
    request.set_name(name);
    *request.mutable_batch() = batch;
    return request;
  }

  std::int64_t Revision() {
    grpc::ClientContext context;
    v1::GetModelRequest request;
    request.set_name("models/m");
    v1::Model model;
    EXPECT_TRUE(models_->GetModel(&context, request, &model).ok());
    return model.revision();
  }

  // Waits until the revision is `revision` and stays there.
  std::int64_t SettledRevision() {
    std::int64_t last = -1, now = Revision();
    while (now != last) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      last = std::exchange(now, Revision());
    }
    return now;
  }
};

TEST_F(StreamTest, AnswersInOrderWhateverTheWindow) {
  constexpr int kBatches = 500;
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  std::thread writer([&stream] {
    for (int i = 0; i < kBatches; ++i) {
      ASSERT_TRUE(stream->Write(Request(LinearBatch(i), i == 0 ? "models/m" : "")));
    }
    stream->WritesDone();
  });
  v1::LearnStreamResponse response;
  for (int i = 0; i < kBatches; ++i) {
    ASSERT_TRUE(stream->Read(&response)) << i;
    EXPECT_EQ(response.index(), i);
    ASSERT_TRUE(response.has_learned()) << response.error().message();
    EXPECT_EQ(response.learned().revision(), i + 1);
  }
  writer.join();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StreamTest, AMessageThatCannotBeReadEndsItAfterTheAnswersToThoseBefore) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto next = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(&context, "/prequel.v1.LearningService/LearnStream", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(next());
  for (const std::string& bytes :
       {Request(LinearBatch(0), "models/m").SerializeAsString(), std::string("\xff\xff\xff")}) {
    const grpc::Slice slice(bytes);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    ASSERT_TRUE(next());
  }
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  EXPECT_TRUE(next());
  call->Read(&answer, nullptr);
  EXPECT_FALSE(next());
  grpc::Status status;
  call->Finish(&status, nullptr);
  EXPECT_TRUE(next());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("message 1"));
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("LearnStream"));
  EXPECT_EQ(Revision(), 1);
}

TEST_F(StreamTest, LearnsWhatLearnWouldHave) {
  ASSERT_TRUE(CreateModel("one-by-one", LinearConfig()).ok());
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stream->Write(Request(LinearBatch(i), "models/m")));
    ASSERT_TRUE(Learn(LinearBatch(i), nullptr, "one-by-one").ok());
  }
  stream->WritesDone();
  v1::LearnStreamResponse response;
  while (stream->Read(&response)) EXPECT_TRUE(response.has_learned());
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(Fingerprint("m"), Fingerprint("one-by-one"));
}

TEST_F(StreamTest, ARefusedBatchIsAnsweredInItsPlaceAndTheStreamGoesOn) {
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  v1::Batch bad = LinearBatch(1, 2);
  bad.mutable_inputs()->mutable_data()->pop_back();
  v1::Batch narrow = LinearBatch(1, 2);
  *narrow.mutable_inputs() = MakeTensor({2, 1}, {1, 2});
  stream->Write(Request(LinearBatch(0)));  // no name yet
  stream->Write(Request(LinearBatch(0), "models/m"));
  stream->Write(Request(bad));
  stream->Write(Request(narrow));
  stream->Write(Request(LinearBatch(1)));
  stream->WritesDone();
  std::vector<std::string> seen;
  v1::LearnStreamResponse response;
  while (stream->Read(&response)) {
    EXPECT_EQ(response.index(), static_cast<std::int64_t>(seen.size()));
    if (response.has_learned()) {
      seen.push_back("revision " + std::to_string(response.learned().revision()));
    } else {
      EXPECT_EQ(PartsOf(response.error()).reason, "INVALID_FIELD");
      seen.push_back(PartsOf(response.error()).fields.at(0));
    }
  }
  EXPECT_TRUE(stream->Finish().ok());
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[0], "name");
  EXPECT_EQ(seen[1], "revision 1");
  EXPECT_EQ(seen[2], "batch.inputs.data");
  EXPECT_THAT(seen[3], ::testing::StartsWith("batch.inputs"));
  EXPECT_EQ(seen[4], "revision 2");
}

TEST_F(StreamTest, AnUnknownModelIsAnErrorPerBatch) {
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  stream->Write(Request(LinearBatch(0), "models/nobody"));
  stream->Write(Request(LinearBatch(0), "models/m"));
  stream->WritesDone();
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(PartsOf(response.error()).reason, "MODEL_NOT_FOUND");
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_TRUE(response.has_learned());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StreamTest, AnEmptyStreamEndsWell) {
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  stream->WritesDone();
  v1::LearnStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(StreamTest, AVanishedClientLeavesWhatWasLogged) {
  std::int64_t acknowledged = 0;
  {
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
    for (int i = 0; i < 40; ++i) stream->Write(Request(LinearBatch(i), "models/m"));
    v1::LearnStreamResponse response;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(stream->Read(&response));
      acknowledged = response.learned().revision();
    }
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  const std::int64_t settled = SettledRevision();
  EXPECT_EQ(acknowledged, 5);
  EXPECT_GE(settled, acknowledged);
  EXPECT_LE(settled, 40);
  const std::string before = Fingerprint();
  StopServer();
  StartServer();
  EXPECT_EQ(Fingerprint(), before);
  EXPECT_TRUE(Learn(LinearBatch(7)).ok());
}

TEST_F(StreamTest, AClientThatDoesNotReadIsNotReadAhead) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);  // or the client would take in megabytes
  Connect(arguments);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  // Far more than the window and the answers' flow control take.
  std::thread writer([&stream] {
    for (int i = 0; i < 20000; ++i) {
      if (!stream->Write(Request(LinearBatch(i, 64), "models/m"))) return;
    }
  });
  EXPECT_LT(SettledRevision(), 20000);
  context.TryCancel();
  writer.join();
  stream->Finish();
  EXPECT_TRUE(Learn(LinearBatch(7)).ok());
}

TEST_F(StreamTest, StoppingAnswersWhatWasReadAndEndsTheStream) {
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  ASSERT_TRUE(stream->Write(Request(LinearBatch(0), "models/m")));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  const auto start = std::chrono::steady_clock::now();
  server_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_FALSE(stream->Read(&response));
  const ErrorParts parts = PartsOf(stream->Finish());
  EXPECT_EQ(parts.code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(parts.reason, "NOT_SERVING");
}

}  // namespace
}  // namespace prequel::stream_test
