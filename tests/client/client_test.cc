#include "client/client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "client/call_error.h"
#include "client/make_tensor.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/fake_server.h"

namespace prequel::client::client_test {
namespace {

v1::Model Named(const std::string& name) {
  v1::Model model;
  model.set_name(name);
  return model;
}

v1::Batch OneRow() {
  v1::Batch batch;
  *batch.mutable_inputs() = MakeTensor({1, 2}, {1, 2});
  return batch;
}

class ClientTest : public ::testing::Test {
 protected:
  FakeServer server_;
  Client client_{{.server = server_.address(), .timeout = std::chrono::seconds(10)}};
};

TEST_F(ClientTest, BothFormsOfAName) {
  EXPECT_EQ(ModelName("moons"), "models/moons");
  EXPECT_EQ(ModelName("models/moons"), "models/moons");
  ASSERT_TRUE(client_.CreateModel("models/moons", {}).ok());
  EXPECT_EQ(server_.last_create().model_id(), "moons");
  EXPECT_EQ(client_.ForkModel("moons", 1, "models/copy", nullptr)->name(), "models/copy");
  std::string file = "a model";
  const auto source = [&file] { return std::exchange(file, ""); };
  EXPECT_EQ(client_.ImportModel("models/other", source)->name(), "models/other");
}

TEST_F(ClientTest, ListsEveryPage) {
  for (const char* name : {"models/a", "models/b", "models/c", "models/d", "models/e"}) {
    server_.behaviour().models.push_back(Named(name));
  }
  const auto models = client_.ListAllModels();
  ASSERT_TRUE(models.ok()) << models.status();
  ASSERT_EQ(models->size(), 5);
  EXPECT_EQ(models->back().name(), "models/e");
  const auto page = client_.ListModels(3, "");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->models_size(), 3);
  EXPECT_EQ(client_.ListModels(3, page->next_page_token())->models_size(), 2);
}

TEST_F(ClientTest, EveryCallReachesTheServer) {
  server_.behaviour().models = {Named("models/m")};
  EXPECT_EQ(client_.GetModel("m")->name(), "models/m");
  EXPECT_EQ(client_.Learn("m", OneRow())->revision(), 1);
  v1::PredictOptions options;
  options.set_samples(5);
  EXPECT_EQ(client_.Predict("m", OneRow(), options)->revision(), 7);
  EXPECT_EQ(server_.last_predict().name(), "models/m");
  EXPECT_EQ(server_.last_predict().options().samples(), 5);
  EXPECT_FALSE(server_.last_predict().has_revision());
  EXPECT_TRUE(client_.Predict("m", OneRow(), options, {.revision = 0, .at_least = 3}).ok());
  EXPECT_TRUE(server_.last_predict().has_revision());
  EXPECT_EQ(server_.last_predict().min_revision(), 3);
  EXPECT_EQ(client_.PredictThenLearn("m", OneRow())->report().rows(), 1);
  EXPECT_EQ(client_.GetEvaluation("m")->cumulative().examples(), 10);
  EXPECT_EQ(client_.CreateSnapshot("m")->revision(), 7);
  EXPECT_TRUE(client_.DeleteModel("m").ok());
}

TEST_F(ClientTest, ErrorsKeepTheirDetails) {
  google::rpc::Status& error = server_.behaviour().error;
  error.set_code(6);
  error.set_message("taken");
  google::rpc::ErrorInfo info;
  info.set_reason("MODEL_ALREADY_EXISTS");
  error.add_details()->PackFrom(info);
  const absl::Status status = client_.CreateModel("m", {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(DetailsOf(status).reason, "MODEL_ALREADY_EXISTS");
}

TEST_F(ClientTest, WatchesUntilEitherHasEnough) {
  int seen = 0;
  const auto watch = [&](bool more) {
    return client_.WatchEvaluation("m", std::chrono::milliseconds(1500),
                                   [&](const v1::GetEvaluationResponse&) {
                                     ++seen;
                                     return more;
                                   });
  };
  EXPECT_TRUE(watch(true).ok());
  server_.behaviour().error.set_code(5);
  EXPECT_EQ(watch(true).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(watch(false).ok()) << "whoever has seen enough hears of no error";
  EXPECT_EQ(seen, 3);
}

TEST_F(ClientTest, Health) {
  EXPECT_TRUE(*client_.CheckHealth());
  server_.behaviour().serving = false;
  EXPECT_FALSE(*client_.CheckHealth());
}

TEST_F(ClientTest, DeadlinesAreKept) {
  server_.behaviour().delay = std::chrono::milliseconds(600);
  Client hasty({.server = server_.address(), .timeout = std::chrono::milliseconds(50)});
  EXPECT_EQ(hasty.GetEvaluation("m").status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(hasty.ExportModel("m", {}, [](const std::string&) {}).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(hasty.ImportModel("m", [] { return ""; }).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

// Which is done once, however often it is asked; what is not is not asked again.
TEST_F(ClientTest, LearnsAgainWhereACallBrokeOff) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kUnavailable, absl::StatusCode::kCancelled}) {
    server_.behaviour().error.set_code(static_cast<int>(code));
    server_.behaviour().errors = 2;
    EXPECT_TRUE(client_.Learn("m", {}).ok()) << code;
    EXPECT_EQ(server_.behaviour().errors, 0);
    server_.behaviour().errors = 1;
    EXPECT_EQ(client_.GetEvaluation("m").status().code(), code);
  }
  server_.behaviour().error.set_code(static_cast<int>(absl::StatusCode::kInvalidArgument));
  server_.behaviour().errors = 2;
  EXPECT_FALSE(client_.Learn("m", {}).ok());
  EXPECT_EQ(server_.behaviour().errors, 1) << "what is refused once is refused again";
}

TEST_F(ClientTest, AServerThatIsNotThereIsUnavailable) {
  server_.Vanish();
  const absl::Status status = client_.GetModel("m").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_TRUE(IsFromCall(status));
}

}  // namespace
}  // namespace prequel::client::client_test
