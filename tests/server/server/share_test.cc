// The shares of a policy come to the threads that learn.
#include <memory>
#include <thread>

#include "tests/server/server/quota_fixture.h"

namespace prequel::share_test {
namespace {

class ShareTest : public QuotaTest {
 protected:
  static constexpr int kBatches = 256, kRows = 100;
  using Stream = grpc::ClientReaderWriter<v1::LearnStreamRequest, v1::LearnStreamResponse>;

  ShareTest() {
    options_.workers = 1;
    options_.stream_window = kBatches;
  }

  std::int64_t Revision(const std::string& model) {
    v1::GetModelRequest request;
    request.set_name("models/" + model);
    v1::Model response;
    EXPECT_TRUE(models_->GetModel(As("owner").get(), request, &response).ok());
    return response.revision();
  }

  // All that a model is to learn, without waiting for it.
  static void Send(const std::string& model, Stream& stream) {
    v1::LearnStreamRequest request;
    *request.mutable_batch() = LinearBatch(1, kRows);
    request.set_name("models/" + model);
    for (int i = 0; i < kBatches; ++i) {
      ASSERT_TRUE(stream.Write(request));
      request.clear_name();
    }
    stream.WritesDone();
  }
  static void ReadAll(Stream& stream) {
    v1::LearnStreamResponse response;
    for (int i = 0; i < kBatches; ++i) {
      ASSERT_TRUE(stream.Read(&response)) << i;
      ASSERT_TRUE(response.has_learned()) << response.error().message();
    }
    EXPECT_TRUE(stream.Finish().ok());
  }

  // How much `other` has learned when `model` has learned all, which both were sent.
  double LearnedBeside(const std::string& model, const std::string& other) {
    const auto context = As("owner"), other_context = As("owner");
    const std::unique_ptr<Stream> stream = learning_->LearnStream(context.get());
    const std::unique_ptr<Stream> other_stream = learning_->LearnStream(other_context.get());
    const std::int64_t before = Revision(other);
    Send(model, *stream);
    Send(other, *other_stream);
    ReadAll(*stream);
    const std::int64_t after = Revision(other);
    ReadAll(*other_stream);
    return static_cast<double>(after - before) / kBatches;
  }
};

// By an even share the other one would have learned about as much.
TEST_F(ShareTest, AModelLearnsByItsShareInThePolicyThatIsInForce) {
  Start("[models/a]\nshare = 1000\n[models/b]\nshare = 1");
  for (const char* name : {"a", "b"}) ASSERT_TRUE(Create("owner", name).ok());
  EXPECT_LT(LearnedBeside("a", "b"), 0.5);
  WritePolicy("[models/a]\nshare = 1\n[models/b]\nshare = 1000");
  EXPECT_TRUE(Await([this] { return LearnedBeside("b", "a") < 0.5; })) << "once it has been read";
}

}  // namespace
}  // namespace prequel::share_test
