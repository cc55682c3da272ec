// What learning promises, seen by a client.
#include <cmath>
#include <cstring>

#include "client/queries.h"
#include "tests/server/server/server_fixture.h"

namespace prequel::learning_test {
namespace {

using LearningTest = ServerTest;

double Element(const v1::Tensor& tensor, std::size_t i) {
  double value = 0;
  std::memcpy(&value, tensor.data().data() + i * sizeof(double), sizeof(double));
  return value;
}

TEST_F(LearningTest, CreatedModelShowsItsConfigurationWithDefaults) {
  StartServer();
  v1::Model model;
  ASSERT_TRUE(CreateModel("m", LinearConfig(), &model).ok());
  EXPECT_EQ(model.name(), "models/m");
  EXPECT_EQ(model.revision(), 0);
  EXPECT_EQ(model.num_parameters(), 3);
  EXPECT_TRUE(model.serving());
  EXPECT_GT(model.create_time().seconds(), 1'600'000'000);
  EXPECT_FALSE(model.config().rule().name().empty());
  EXPECT_EQ(model.config().evaluation().window(), 1000);

  grpc::ClientContext context;
  v1::GetModelRequest request;
  request.set_name("models/m");
  v1::Model again;
  ASSERT_TRUE(models_->GetModel(&context, request, &again).ok());
  EXPECT_EQ(again.DebugString(), model.DebugString());
}

TEST_F(LearningTest, LearnsPredictsAndEvaluates) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  for (int i = 0; i < 50; ++i) {
    v1::LearnResponse response;
    const grpc::Status status = Learn(LinearBatch(i), &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.revision(), i + 1);
    EXPECT_EQ(response.report().rows(), 8);
  }
  v1::PredictResponse predicted;
  ASSERT_TRUE(Predict(LinearQuery(), &predicted).ok());
  EXPECT_EQ(predicted.revision(), 50);
  const v1::Output* mean = client::FindOutput(predicted.predictions(), "mean");
  ASSERT_TRUE(mean != nullptr);
  ASSERT_EQ(mean->values().shape_size(), 2);
  const v1::Tensor inputs = LinearQuery().inputs();
  for (std::size_t row = 0; row < 3; ++row) {
    const double expected = 0.5 + 2 * Element(inputs, 2 * row) - Element(inputs, 2 * row + 1);
    EXPECT_NEAR(Element(mean->values(), row), expected, 0.05);
  }
  grpc::ClientContext context;
  v1::GetEvaluationRequest request;
  request.set_name("models/m");
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(learning_->GetEvaluation(&context, request, &evaluation).ok());
  EXPECT_EQ(evaluation.revision(), 50);
  EXPECT_EQ(evaluation.cumulative().examples() + static_cast<double>(evaluation.unscored_rows()),
            400);
  EXPECT_LT(client::FindScore(evaluation.window(), "rmse").value_or(9), 0.5);
  EXPECT_FALSE(client::FindScore(evaluation.cumulative(), "accuracy").has_value());
}

// Where nothing moves between the rows.
TEST_F(LearningTest, PredictThenLearnAnswersWhatPredictWouldHave) {
  StartServer();
  v1::ModelConfig config = LinearConfig();
  config.mutable_dynamics()->set_name("static");
  ASSERT_TRUE(CreateModel("m", config).ok());
  ASSERT_TRUE(Learn(LinearBatch(1)).ok());
  v1::PredictResponse before;
  v1::Batch query = LinearBatch(2);
  ASSERT_TRUE(Predict(query, &before).ok());
  grpc::ClientContext context;
  v1::PredictThenLearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = query;
  v1::PredictThenLearnResponse response;
  const grpc::Status status = learning_->PredictThenLearn(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.revision(), 2);
  EXPECT_EQ(response.predictions().SerializeAsString(), before.predictions().SerializeAsString());
  EXPECT_GT(response.scores().examples(), 0);
}

// Scores of a batch are of the revision that is named, and leave the model as it is.
TEST_F(LearningTest, ScoresABatchWithoutLearningIt) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Learn(LinearBatch(i)).ok());
  v1::PredictRequest request;
  request.set_name("models/m");
  request.mutable_options()->set_scores(true);
  *request.mutable_batch() = LinearBatch(9);
  const auto score = [&](v1::PredictResponse* response) {
    grpc::ClientContext context;
    return learning_->Predict(&context, request, response);
  };
  v1::PredictResponse first, again, past;
  ASSERT_TRUE(score(&first).ok());
  EXPECT_EQ(first.revision(), 3);
  EXPECT_EQ(first.scores().scores().examples(), 8);
  EXPECT_TRUE(client::FindScore(first.scores().scores(), "nll").has_value());
  EXPECT_FALSE(first.has_predictions());
  ASSERT_TRUE(Learn(LinearBatch(9)).ok());
  request.set_revision(3);
  ASSERT_TRUE(score(&again).ok());
  EXPECT_EQ(again.DebugString(), first.DebugString());
  request.set_revision(1);
  ASSERT_TRUE(score(&past).ok());
  EXPECT_NE(past.scores().DebugString(), first.scores().DebugString());

  request.mutable_batch()->clear_targets();
  const grpc::Status none = score(&past);
  EXPECT_EQ(none.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(none.error_message().find("batch.targets"), std::string::npos) << none.error_message();
  v1::PredictThenLearnRequest learned;
  learned.set_name("models/m");
  *learned.mutable_batch() = LinearBatch(1);
  learned.mutable_options()->set_scores(true);
  grpc::ClientContext context;
  v1::PredictThenLearnResponse response;
  const grpc::Status refused = learning_->PredictThenLearn(&context, learned, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(refused.error_message().find("options.scores"), std::string::npos)
      << refused.error_message();
}

TEST_F(LearningTest, ClassesByNumberAreEvaluatedAsClasses) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", ClassesConfig()).ok());
  v1::Batch batch = LinearBatch(3, 6);
  *batch.mutable_targets() = MakeTensor({6}, {0, 1, 2, 0, 1, 2});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Learn(batch).ok());
  v1::PredictResponse predicted;
  ASSERT_TRUE(Predict(LinearQuery(), &predicted).ok());
  const v1::Output* probabilities = client::FindOutput(predicted.predictions(), "probabilities");
  ASSERT_TRUE(probabilities != nullptr);
  EXPECT_EQ(probabilities->values().shape(1), 3);
  EXPECT_EQ(predicted.predictions().labels_size(), 3);
  grpc::ClientContext context;
  v1::GetEvaluationRequest request;
  request.set_name("models/m");
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(learning_->GetEvaluation(&context, request, &evaluation).ok());
  EXPECT_TRUE(client::FindScore(evaluation.cumulative(), "accuracy").has_value());
  EXPECT_FALSE(client::FindScore(evaluation.cumulative(), "rmse").has_value());
}

// A row whose label is no class is refused alone and named; a repeat has the count.
TEST_F(LearningTest, ALabelThatIsNoClassRefusesItsRow) {
  StartServer();
  v1::ModelConfig config = ClassesConfig();
  config.mutable_target()->clear_num_classes();
  for (const char* label : {"red", "green", "blue"}) config.mutable_target()->add_labels(label);
  ASSERT_TRUE(CreateModel("m", config).ok());
  v1::PredictThenLearnRequest request;
  request.set_name("models/m");
  request.set_request_id("once");
  *request.mutable_batch() = LinearQuery(4);
  for (const char* label : {"red", "mauve", "green", "re\"d\n"}) {
    request.mutable_batch()->add_labels(label);
  }
  const auto send = [&] {
    grpc::ClientContext context;
    v1::PredictThenLearnResponse response;
    const grpc::Status status = learning_->PredictThenLearn(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  const v1::PredictThenLearnResponse response = send();
  EXPECT_EQ(response.revision(), 1);
  EXPECT_EQ(response.scores().examples(), 2);
  const v1::StepReport& report = response.report();
  EXPECT_EQ(report.rows(), 2);
  EXPECT_EQ(report.refused_rows(), 2);
  ASSERT_EQ(report.first_refused_rows_size(), 2);
  EXPECT_EQ(report.first_refused_rows(0).row(), 1);
  EXPECT_EQ(report.first_refused_rows(0).label(), "\"mauve\"");
  EXPECT_EQ(report.first_refused_rows(0).reason(), "classes are \"red\", \"green\", \"blue\"");
  EXPECT_EQ(report.first_refused_rows(1).row(), 3);
  EXPECT_EQ(report.first_refused_rows(1).label(), "\"re\\\"d\\n\"");
  EXPECT_EQ(client::FindOutput(response.predictions(), "probabilities")->values().shape(0), 4);

  const std::string learned = Fingerprint();
  for (const bool restarted : {false, true}) {
    if (restarted) {
      StopServer();
      StartServer();
    }
    const v1::PredictThenLearnResponse again = send();
    EXPECT_TRUE(again.repeated());
    EXPECT_EQ(again.report().refused_rows(), 2);
    EXPECT_EQ(again.report().first_refused_rows_size(), 0);
    EXPECT_EQ(Fingerprint(), learned);
  }
}

TEST_F(LearningTest, RestartAnswersTheSameBytes) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  v1::ModelConfig mlp = ParseConfig(
      "features { name: 'x' width: 2 } target { name: 'y' } model { name: 'mlp' }"
      "likelihood { name: 'gaussian' } posterior { name: 'diagonal' } seed: 3");
  ASSERT_TRUE(CreateModel("deep", mlp).ok());
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(Learn(LinearBatch(i)).ok());
    ASSERT_TRUE(Learn(LinearBatch(i), nullptr, "deep").ok());
  }
  const std::string linear = Fingerprint();
  const std::string deep = Fingerprint("deep");
  StopServer();
  StartServer();
  EXPECT_EQ(Fingerprint(), linear);
  EXPECT_EQ(Fingerprint("deep"), deep);
  ASSERT_TRUE(Learn(LinearBatch(31)).ok());
  EXPECT_NE(Fingerprint(), linear);
}

TEST_F(LearningTest, ModelsAreListedInPagesAndDeleted) {
  StartServer();
  for (const char* id : {"c", "a", "e", "b", "d"})
    ASSERT_TRUE(CreateModel(id, LinearConfig()).ok());
  std::vector<std::string> names;
  v1::ListModelsRequest request;
  request.set_page_size(2);
  int pages = 0;
  do {
    grpc::ClientContext context;
    v1::ListModelsResponse response;
    ASSERT_TRUE(models_->ListModels(&context, request, &response).ok());
    EXPECT_LE(response.models_size(), 2);
    for (const v1::Model& model : response.models()) names.push_back(model.name());
    request.set_page_token(response.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(names,
              ::testing::ElementsAre("models/a", "models/b", "models/c", "models/d", "models/e"));
  grpc::ClientContext context;
  v1::DeleteModelRequest deletion;
  deletion.set_name("models/c");
  google::protobuf::Empty empty;
  ASSERT_TRUE(models_->DeleteModel(&context, deletion, &empty).ok());
  EXPECT_EQ(PartsOf(Learn(LinearBatch(1), nullptr, "c")).reason, "MODEL_NOT_FOUND");
  StopServer();
  StartServer();
  EXPECT_EQ(PartsOf(Learn(LinearBatch(1), nullptr, "c")).reason, "MODEL_NOT_FOUND");
  EXPECT_TRUE(Learn(LinearBatch(1), nullptr, "d").ok());
}

}  // namespace
}  // namespace prequel::learning_test
