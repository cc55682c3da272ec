#include "client/learn_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/call_error.h"
#include "client/client.h"
#include "client/make_tensor.h"
#include "tests/client/fake_server.h"

namespace prequel::client::learn_stream_test {
namespace {

using ::testing::HasSubstr;

class LearnStreamTest : public ::testing::Test {
 protected:
  std::unique_ptr<LearnStream> Open(const LearnStreamOptions& options) {
    return client_.OpenLearnStream("m", options, [this](const LearnAck& ack) {
      EXPECT_EQ(ack.index, static_cast<std::int64_t>(acks_.size()));
      EXPECT_EQ(std::this_thread::get_id(), caller_);
      acks_.push_back(ack);
    });
  }

  static v1::Batch Rows(std::int64_t rows) {
    v1::Batch batch;
    *batch.mutable_inputs() =
        MakeTensor(std::vector<double>(static_cast<std::size_t>(rows), 0.0), {rows, 1});
    return batch;
  }

  std::thread::id caller_ = std::this_thread::get_id();
  FakeServer server_;
  Client client_{{.server = server_.address()}};
  std::vector<LearnAck> acks_;
};

TEST_F(LearnStreamTest, AnswersArriveInOrder) {
  auto stream = Open({.max_in_flight = 8});
  for (std::int64_t i = 0; i < 200; ++i) ASSERT_TRUE(stream->Send(Rows(i % 7 + 1)).ok());
  ASSERT_TRUE(stream->Finish().ok());
  ASSERT_EQ(acks_.size(), 200);
  for (std::size_t i = 0; i < acks_.size(); ++i) {
    ASSERT_TRUE(acks_[i].result.ok());
    EXPECT_EQ(acks_[i].result->report().rows(), static_cast<std::int64_t>(i % 7 + 1));
  }
  EXPECT_EQ(stream->sent(), 200);
  EXPECT_EQ(stream->answered(), 200);
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_FALSE(stream->Send(Rows(1)).ok());
}

TEST_F(LearnStreamTest, OnlyTheFirstMessageNamesTheModel) {
  auto stream = Open({});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_EQ(server_.first_stream_request().name(), "models/m");
  EXPECT_EQ(server_.last_stream_request().name(), "");
}

TEST_F(LearnStreamTest, ARefusedMinibatchDoesNotEndTheStream) {
  server_.behaviour().refused = {1, 3};
  auto stream = Open({});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(stream->Finish().ok());
  ASSERT_EQ(acks_.size(), 5);
  EXPECT_TRUE(acks_[0].result.ok());
  EXPECT_EQ(acks_[1].result.status().message(), "minibatch 1 is odd");
  EXPECT_TRUE(acks_[2].result.ok());
  EXPECT_FALSE(acks_[3].result.ok());
  EXPECT_TRUE(acks_[4].result.ok());
}

TEST_F(LearnStreamTest, BackPressureBoundsWhatIsInFlight) {
  server_.behaviour().hold_answers = true;
  std::atomic<int> sent = 0;
  std::thread sender([&] {
    caller_ = std::this_thread::get_id();
    auto stream = Open({.max_in_flight = 4});
    for (int i = 0; i < 20; ++i, ++sent) ASSERT_TRUE(stream->Send(Rows(1)).ok());
    EXPECT_TRUE(stream->Finish().ok());
  });
  ASSERT_TRUE(server_.AwaitReceived(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(sent, 4);
  server_.Release(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(sent, 7);
  server_.Release(100);
  sender.join();
  EXPECT_EQ(server_.received(), 20);
  EXPECT_EQ(acks_.size(), 20);
}

TEST_F(LearnStreamTest, AStalledServerIsGivenUp) {
  server_.behaviour().hold_answers = true;
  auto stream = Open({.max_in_flight = 2, .stall_timeout = std::chrono::milliseconds(100)});
  ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(stream->Send(Rows(1)).ok());
  const absl::Status status = stream->Send(Rows(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("2 minibatches are unanswered"));
  EXPECT_TRUE(IsFromCall(status));
  EXPECT_EQ(stream->Finish(), status);
}

TEST_F(LearnStreamTest, AVanishingServerEndsTheStreamAfterWhatItAnswered) {
  server_.behaviour().hold_answers = true;
  server_.Release(3);
  auto stream = Open({.max_in_flight = 8, .retry = {.give_up = std::chrono::milliseconds(0)}});
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(server_.AwaitReceived(4));
  server_.Vanish();
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = stream->Send(Rows(1));
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(acks_.size(), 3);
  EXPECT_EQ(stream->Finish(), status);
}

TEST_F(LearnStreamTest, AServerThatReturnsIsSentWhatItHasNotAnswered) {
  server_.behaviour().hold_answers = true;
  server_.Release(3);
  auto stream = Open({.max_in_flight = 8});
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(server_.AwaitReceived(4));
  while (acks_.size() < 3) ASSERT_EQ(stream->Send(Rows(1)), absl::OkStatus());
  const std::int64_t sent = stream->sent();
  server_.Vanish();
  server_.behaviour().hold_answers = false;
  server_.behaviour().next_sequence = 5;  // number 4 was logged, its answer lost
  std::thread returns([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server_.Return();
  });
  EXPECT_EQ(stream->Finish(), absl::OkStatus());
  returns.join();
  const std::vector<std::int64_t> sequences = server_.stream_sequences();
  EXPECT_EQ(server_.first_stream_request().name(), "models/m") << "every call begins with a hello";
  ASSERT_GE(sequences.size(), static_cast<std::size_t>(sent - 3));
  for (std::int64_t i = 0; i < sent - 3; ++i) {
    EXPECT_EQ(sequences[sequences.size() - static_cast<std::size_t>(i + 1)], sent - i);
  }
  ASSERT_EQ(acks_.size(), static_cast<std::size_t>(sent));
  for (std::size_t i = 0; i < acks_.size(); ++i) {
    EXPECT_EQ(acks_[i].sequence, static_cast<std::int64_t>(i + 1));
    EXPECT_TRUE(acks_[i].result.ok());
  }
}

TEST_F(LearnStreamTest, AMinibatchThatTheServerCouldNotTakeIsSentAgain) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kUnavailable, absl::StatusCode::kCancelled}) {
    server_.behaviour().lost_once = 2;
    server_.behaviour().lost_with = static_cast<int>(code);
    server_.behaviour().next_sequence = 1;
    acks_.clear();
    auto stream = Open({.max_in_flight = 4});
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
    EXPECT_EQ(stream->Finish(), absl::OkStatus());
    ASSERT_EQ(acks_.size(), 6) << code;
    for (const LearnAck& ack : acks_) EXPECT_TRUE(ack.result.ok());
  }
}

TEST_F(LearnStreamTest, NumbersGoOnWhereTheProducerWas) {
  server_.behaviour().next_sequence = 41;
  auto stream = Open({.producer = "p"});
  EXPECT_EQ(*stream->NextSequence(), 41);
  ASSERT_TRUE(stream->Send(Rows(1)).ok());
  EXPECT_EQ(*stream->NextSequence(), 42);
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_EQ(server_.first_stream_request().producer(), "p");
  EXPECT_EQ(server_.last_stream_request().sequence(), 41);
  ASSERT_EQ(acks_.size(), 1);
  EXPECT_EQ(acks_[0].index, 0);
  EXPECT_EQ(acks_[0].sequence, 41);
}

TEST_F(LearnStreamTest, AServerThatForgotTheProducerIsAnError) {
  server_.behaviour().hold_answers = true;
  server_.Release(2);
  auto stream = Open({.max_in_flight = 3});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(stream->Send(Rows(1)).ok());
  server_.Vanish();
  server_.Return();  // and says 1, having answered 2
  const absl::Status status = stream->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no longer knows this producer"));
}

TEST_F(LearnStreamTest, ANeverReachedServerIsUnavailable) {
  server_.Vanish();
  auto stream = Open({});
  absl::Status status = stream->Send(Rows(1));
  if (status.ok()) status = stream->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_TRUE(acks_.empty());
}

TEST_F(LearnStreamTest, TheStreamsOwnErrorIsReported) {
  server_.behaviour().fail_stream_after = 2;
  auto stream = Open({});
  for (int i = 0; i < 5 && stream->Send(Rows(1)).ok(); ++i) {
  }
  const absl::Status status = stream->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the model is gone");
  EXPECT_EQ(acks_.size(), 2);
}

TEST_F(LearnStreamTest, AnEarlyOkIsAnErrorWhenAnswersAreOwed) {
  server_.behaviour().end_stream_after = 2;
  auto stream = Open({});
  for (int i = 0; i < 3 && stream->Send(Rows(1)).ok(); ++i) {
  }
  const absl::Status status = stream->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("unanswered"));
}

TEST_F(LearnStreamTest, AnAnswerOutOfOrderIsAnError) {
  server_.behaviour().wrong_index_at = 1;
  auto stream = Open({});
  for (int i = 0; i < 3 && stream->Send(Rows(1)).ok(); ++i) {
  }
  const absl::Status status = stream->Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("answered request 3 where 2 was due"));
  EXPECT_EQ(acks_.size(), 1);
}

TEST_F(LearnStreamTest, DestroyingAnUnfinishedStreamDoesNotWait) {
  server_.behaviour().hold_answers = true;
  auto stream = Open({});
  ASSERT_TRUE(stream->Send(Rows(1)).ok());
  ASSERT_TRUE(server_.AwaitReceived(1));
  const auto start = std::chrono::steady_clock::now();
  stream.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(LearnStreamTest, AnEmptyStreamIsFine) { EXPECT_TRUE(Open({})->Finish().ok()); }

}  // namespace
}  // namespace prequel::client::learn_stream_test
