// Revisions, rollback, forks and files, as clients see them.
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "tests/server/server/server_fixture.h"

namespace prequel::history_test {
namespace {

class HistoryTest : public ServerTest {
 protected:
  void SetUp() override {
    StartServer();
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(Learn(LinearBatch(i)).ok());
      answers_.push_back(Ask("m"));
    }
  }

  v1::PredictResponse Ask(const std::string& id, std::int64_t revision = -1) {
    v1::PredictRequest request;
    request.set_name("models/" + id);
    *request.mutable_batch() = LinearQuery();
    if (revision >= 0) request.set_revision(revision);
    v1::PredictResponse response;
    status_ = Send(request, &response);
    return response;
  }

  grpc::Status Send(const v1::PredictRequest& request, v1::PredictResponse* response,
                    std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    return learning_->Predict(&context, request, response);
  }

  template <class Request, class Response>
  grpc::Status Call(grpc::Status (v1::ModelService::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Response*),
                    const Request& request, Response* response) {
    grpc::ClientContext context;
    return (models_.get()->*method)(&context, request, response);
  }

  std::string Export(const std::string& name) {
    grpc::ClientContext context;
    v1::ExportModelRequest request;
    request.set_name(name);
    const auto reader = models_->ExportModel(&context, request);
    std::string bytes;
    v1::ModelFilePiece piece;
    while (reader->Read(&piece)) bytes += piece.data();
    status_ = reader->Finish();
    return bytes;
  }

  v1::Model Import(const std::string& id, const std::string& bytes, std::size_t step) {
    grpc::ClientContext context;
    v1::Model model;
    const auto writer = models_->ImportModel(&context, &model);
    v1::ImportModelRequest request;
    request.set_model_id(id);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      request.set_data(bytes.substr(at, step));
      if (!writer->Write(request)) break;
    }
    writer->WritesDone();
    status_ = writer->Finish();
    return model;
  }

  std::vector<v1::PredictResponse> answers_;  // of revision 1, 2, …
  grpc::Status status_;
};

TEST_F(HistoryTest, APastRevisionAnswersAsItDid) {
  v1::ListRevisionsRequest request;
  request.set_name("models/m");
  v1::ListRevisionsResponse revisions;
  ASSERT_TRUE(Call(&v1::ModelService::Stub::ListRevisions, request, &revisions).ok());
  EXPECT_EQ(revisions.revision(), 5);
  EXPECT_EQ(revisions.oldest_revision(), 0);
  for (std::int64_t revision = 1; revision <= 5; ++revision) {
    EXPECT_EQ(Ask("m", revision).SerializeAsString(),
              answers_[static_cast<std::size_t>(revision - 1)].SerializeAsString());
  }
  EXPECT_EQ(Ask("m", 0).revision(), 0);
  Ask("m", 6);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(PartsOf(status_).reason, "REVISION_OUT_OF_RANGE");
}

TEST_F(HistoryTest, AQueryWaitsForItsRevision) {
  v1::PredictRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearQuery();
  request.set_min_revision(7);
  v1::PredictResponse late;
  EXPECT_EQ(Send(request, &late, std::chrono::milliseconds(200)).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  auto waiting = std::async(std::launch::async, [&] {
    v1::PredictResponse response;
    const grpc::Status status = Send(request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.revision();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 5; i < 7; ++i) ASSERT_TRUE(Learn(LinearBatch(i)).ok());
  EXPECT_EQ(waiting.get(), 7);
  request.set_min_revision(3);
  EXPECT_TRUE(Send(request, &late).ok()) << "it is there already";
  request.set_name("models/nobody");
  EXPECT_EQ(PartsOf(Send(request, &late)).reason, "MODEL_NOT_FOUND");
}

TEST_F(HistoryTest, ARollbackIsANewRevision) {
  v1::RollbackModelRequest request;
  request.set_name("models/m");
  request.set_revision(2);
  v1::Model model;
  ASSERT_TRUE(Call(&v1::ModelService::Stub::RollbackModel, request, &model).ok());
  EXPECT_EQ(model.revision(), 6);
  v1::PredictResponse now = Ask("m");
  EXPECT_EQ(now.predictions().SerializeAsString(), answers_[1].predictions().SerializeAsString());
  StopServer();
  StartServer();
  EXPECT_EQ(Ask("m").SerializeAsString(), now.SerializeAsString());
  v1::LearnResponse learned;
  ASSERT_TRUE(Learn(LinearBatch(9), &learned).ok());
  EXPECT_EQ(learned.revision(), 7);
  request.set_revision(99);
  EXPECT_EQ(Call(&v1::ModelService::Stub::RollbackModel, request, &model).error_code(),
            grpc::StatusCode::OUT_OF_RANGE);
}

TEST_F(HistoryTest, AFork) {
  v1::ForkModelRequest request;
  request.set_name("models/m");
  request.set_model_id("fork");
  request.set_revision(3);
  v1::Model model;
  ASSERT_TRUE(Call(&v1::ModelService::Stub::ForkModel, request, &model).ok());
  EXPECT_EQ(model.name(), "models/fork");
  EXPECT_EQ(Ask("fork").SerializeAsString(), answers_[2].SerializeAsString());
  request.set_model_id("challenger");
  *request.mutable_config() = LinearConfig();
  request.mutable_config()->set_seed(8);
  request.mutable_config()->mutable_posterior()->set_name("diagonal");
  ASSERT_TRUE(Call(&v1::ModelService::Stub::ForkModel, request, &model).ok());
  EXPECT_EQ(model.revision(), 3);
  EXPECT_EQ(model.config().posterior().name(), "diagonal");
  v1::Model ignored;
  ASSERT_TRUE(CreateModel("plain", request.config(), &ignored).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Learn(LinearBatch(i), nullptr, "plain").ok());
  EXPECT_EQ(Ask("challenger").SerializeAsString(), Ask("plain").SerializeAsString());
  request.mutable_config()->mutable_rule()->set_name("nonsense");
  request.set_model_id("other");
  request.set_revision(99);
  EXPECT_EQ(PartsOf(Call(&v1::ModelService::Stub::ForkModel, request, &model)).code,
            grpc::StatusCode::INVALID_ARGUMENT)
      << "a configuration that cannot be is refused before anything is read";
}

TEST_F(HistoryTest, AFileTravels) {
  const std::string bytes = Export("models/m");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  const std::string before = Fingerprint();
  StopServer();
  options_.data_dir = directory_.path("elsewhere");
  StartServer();
  EXPECT_EQ(Import("m", bytes, 1000).revision(), 5);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Fingerprint(), before);
  Import("m", bytes, 1000);
  EXPECT_EQ(PartsOf(status_).reason, "MODEL_EXISTS");
  Import("cut", bytes.substr(0, bytes.size() - 1), 1000);
  EXPECT_EQ(PartsOf(status_).fields, std::vector<std::string>{"data"});
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  Import("damaged", damaged, 1000);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  Import("Bad Name", bytes, 1000);
  EXPECT_EQ(PartsOf(status_).fields, std::vector<std::string>{"model_id"});
  EXPECT_THAT(status_.error_message(), ::testing::EndsWith(", got \"Bad Name\""));
  Import("text", "x,y\n1,2\n", 1000);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status_.error_message(), ::testing::HasSubstr("does not begin as one"));
  Import("empty", "", 1);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  Export("models/nobody");
  EXPECT_EQ(PartsOf(status_).reason, "MODEL_NOT_FOUND");
  EXPECT_TRUE(Learn(LinearBatch(1)).ok()) << "the server goes on";
}

}  // namespace
}  // namespace prequel::history_test
