// Whatever is refused leaves the model as it was, says which field is wrong, and the server goes
// on.
#include <cmath>
#include <limits>

#include "tests/server/server/server_fixture.h"

namespace prequel::refusal_test {
namespace {

void AskForLevel(double level, v1::PredictOptions* options) {
  v1::Query* query = options->add_queries();
  query->set_name("quantiles");
  auto& fields = *query->mutable_options()->mutable_fields();
  fields["levels"].mutable_list_value()->add_values()->set_number_value(level);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class RefusalTest : public ServerTest {
 protected:
  void SetUp() override {
    StartServer();
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
    ASSERT_TRUE(CreateModel("classes", ClassesConfig()).ok());
    ASSERT_TRUE(Learn(LinearBatch(1)).ok());
    before_ = Fingerprint();
    classes_before_ = Fingerprint("classes");
  }

  void TearDown() override {
    EXPECT_EQ(Fingerprint(), before_);
    EXPECT_EQ(Fingerprint("classes"), classes_before_);
    EXPECT_TRUE(Learn(LinearBatch(2)).ok()) << "the server does not serve any more";
  }

  // The one field that Learn complains of.
  std::string FieldRefused(const v1::Batch& batch, const std::string& id = "m") {
    const ErrorParts parts = PartsOf(Learn(batch, nullptr, id));
    EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(parts.reason, "INVALID_FIELD");
    return parts.fields.size() == 1 ? parts.fields[0] : "not one field";
  }

  static v1::Batch WithInputs(const std::vector<double>& values) {
    v1::Batch batch = LinearBatch(1, 2);
    *batch.mutable_inputs() = MakeTensor({2, 2}, values);
    return batch;
  }

  static v1::Batch WithTargets(const std::vector<double>& values) {
    v1::Batch batch = LinearBatch(1, static_cast<int>(values.size()));
    *batch.mutable_targets() = MakeTensor({static_cast<std::int64_t>(values.size())}, values);
    return batch;
  }

  std::string before_, classes_before_;
};

TEST_F(RefusalTest, NumbersThatAreNotFinite) {
  for (double wrong : {kNaN, kInf, -kInf}) {
    EXPECT_EQ(FieldRefused(WithInputs({1, 2, 3, wrong})), "batch.inputs[1,1]");
    EXPECT_EQ(FieldRefused(WithTargets({1, wrong})), "batch.targets[1,0]");
  }
}

TEST_F(RefusalTest, NumbersThatAreNotFiniteInAQuery) {
  v1::Batch query = LinearQuery(2);
  *query.mutable_inputs() = MakeTensor({2, 2}, {1, kNaN, 3, 4});
  v1::PredictResponse ignored;
  EXPECT_THAT(PartsOf(Predict(query, &ignored)).fields,
              ::testing::ElementsAre("batch.inputs[0,1]"));
}

TEST_F(RefusalTest, WrongWidth) {
  v1::Batch batch = LinearBatch(1, 2);
  *batch.mutable_inputs() = MakeTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(FieldRefused(batch), ::testing::StartsWith("batch.inputs"));
  batch = LinearBatch(1, 2);
  *batch.mutable_targets() = MakeTensor({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(FieldRefused(batch), ::testing::StartsWith("batch.targets"));
  batch.clear_targets();
  EXPECT_THAT(FieldRefused(batch), ::testing::StartsWith("batch.targets"));
}

TEST_F(RefusalTest, WrongWidthOfAQuery) {
  v1::Batch query;
  *query.mutable_inputs() = MakeTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  v1::PredictResponse ignored;
  const ErrorParts parts = PartsOf(Predict(query, &ignored));
  EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(parts.fields, ::testing::ElementsAre(::testing::StartsWith("batch.inputs")));
}

TEST_F(RefusalTest, WhatIsNotPredictedIsNotLearned) {
  v1::PredictThenLearnRequest request;
  v1::PredictThenLearnResponse response;
  request.set_name("models/m");
  *request.mutable_batch() = WithTargets({1, kNaN});
  grpc::ClientContext first;
  EXPECT_THAT(PartsOf(learning_->PredictThenLearn(&first, request, &response)).fields,
              ::testing::ElementsAre("batch.targets[1,0]"));
  *request.mutable_batch() = LinearBatch(1);
  AskForLevel(-1, request.mutable_options());
  grpc::ClientContext second;
  EXPECT_THAT(PartsOf(learning_->PredictThenLearn(&second, request, &response)).fields,
              ::testing::ElementsAre("options.queries[0].options.levels[0]"));
}

TEST_F(RefusalTest, NoRows) {
  v1::Batch batch;
  *batch.mutable_inputs() = MakeTensor({0, 2}, {});
  *batch.mutable_targets() = MakeTensor({0}, {});
  EXPECT_EQ(FieldRefused(batch), "batch.inputs.shape");
  EXPECT_THAT(FieldRefused(v1::Batch()), ::testing::StartsWith("batch.inputs"));
}

TEST_F(RefusalTest, RowsThatDoNotAgree) {
  v1::Batch batch = LinearBatch(1, 4);
  *batch.mutable_targets() = MakeTensor({3}, {1, 2, 3});
  EXPECT_THAT(FieldRefused(batch), ::testing::StartsWith("batch.targets"));
}

TEST_F(RefusalTest, TargetsThatCanBeNoLabel) {
  for (double wrong : {kNaN, kInf, -kInf}) {
    EXPECT_EQ(FieldRefused(WithTargets({0, wrong}), "classes"), "batch.targets[1,0]") << wrong;
  }
}

TEST_F(RefusalTest, LabelsThatDoNotFitTheRows) {
  v1::Batch batch = LinearQuery(2);
  for (const char* label : {"red", "green", "blue"}) batch.add_labels(label);
  EXPECT_EQ(FieldRefused(batch, "classes"), "batch.labels") << "three labels for two rows";
  batch.mutable_labels()->RemoveLast();
  batch.set_labels(1, std::string(10'000, '\1'));
  EXPECT_EQ(FieldRefused(batch, "classes"), "batch.labels[1]");
  batch.set_labels(1, "");
  EXPECT_EQ(FieldRefused(batch, "classes"), "batch.labels[1]");
}

TEST_F(RefusalTest, BytesThatDoNotFillTheShape) {
  v1::Batch batch = LinearBatch(1, 2);
  batch.mutable_inputs()->mutable_data()->pop_back();
  EXPECT_EQ(FieldRefused(batch), "batch.inputs.data");
  batch = LinearBatch(1, 2);
  batch.mutable_targets()->mutable_data()->append("12345678");
  EXPECT_EQ(FieldRefused(batch), "batch.targets.data");
  batch = LinearBatch(1, 2);
  batch.mutable_inputs()->set_dtype(v1::Tensor::DTYPE_FLOAT32);
  EXPECT_EQ(FieldRefused(batch), "batch.inputs.data");
  batch.mutable_inputs()->clear_dtype();
  EXPECT_EQ(FieldRefused(batch), "batch.inputs.dtype");
}

TEST_F(RefusalTest, HugeDeclaredShapes) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{kHuge, 2},
                                      {2, kHuge},
                                      {kHuge, kHuge},
                                      {kHuge, 0},
                                      {-1, 2}}) {
    v1::Batch batch = LinearBatch(1, 2);
    batch.mutable_inputs()->set_shape(0, rows);
    batch.mutable_inputs()->set_shape(1, columns);
    EXPECT_THAT(FieldRefused(batch), ::testing::StartsWith("batch.inputs."));
  }
}

TEST_F(RefusalTest, UnknownModelsAndBadNames) {
  const ErrorParts unknown = PartsOf(Learn(LinearBatch(1), nullptr, "nobody"));
  EXPECT_EQ(unknown.code, grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(unknown.reason, "MODEL_NOT_FOUND");
  EXPECT_THAT(PartsOf(Learn(LinearBatch(1), nullptr, "a/b")).fields,
              ::testing::ElementsAre("name"));
  v1::PredictResponse ignored;
  EXPECT_EQ(PartsOf(Predict(LinearQuery(), &ignored, "nobody")).reason, "MODEL_NOT_FOUND");
}

// The reason for which `method` of `stub` refuses a model that nobody made.
template <typename Stub, typename Request, typename Response>
std::string ReasonForNobody(Stub& stub,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Response*),
                            Request request = {}) {
  request.set_name("models/nobody");
  grpc::ClientContext context;
  Response response;
  return PartsOf((stub.*method)(&context, request, &response)).reason;
}

TEST_F(RefusalTest, EveryMethodMissesAnUnknownModel) {
  using Models = v1::ModelService::Stub;
  using Learning = v1::LearningService::Stub;
  EXPECT_EQ(ReasonForNobody(*models_, &Models::GetModel), "MODEL_NOT_FOUND");
  EXPECT_EQ(ReasonForNobody(*models_, &Models::DeleteModel), "MODEL_NOT_FOUND");
  EXPECT_EQ(ReasonForNobody(*learning_, &Learning::GetEvaluation), "MODEL_NOT_FOUND");
  v1::PredictThenLearnRequest request;
  *request.mutable_batch() = LinearBatch(1);
  EXPECT_EQ(ReasonForNobody(*learning_, &Learning::PredictThenLearn, request), "MODEL_NOT_FOUND");
}

TEST_F(RefusalTest, DuplicatesAndBadModelIds) {
  const ErrorParts duplicate = PartsOf(CreateModel("m", ClassesConfig()));
  EXPECT_EQ(duplicate.code, grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(duplicate.reason, "MODEL_EXISTS");
  for (const std::string& id : {std::string(), std::string("UPPER"), std::string("1a"),
                                std::string("a/b"), std::string(64, 'a'), std::string("../x")}) {
    const grpc::Status status = CreateModel(id, LinearConfig());
    EXPECT_THAT(PartsOf(status).fields, ::testing::ElementsAre("model_id")) << id;
    const std::string shown = id.size() > 40 ? id.substr(0, 40) + "…" : id;
    EXPECT_THAT(status.error_message(), ::testing::EndsWith(", got \"" + shown + "\"")) << id;
  }
}

// Escaped and cut, by each method that names a model to be.
TEST_F(RefusalTest, ABadModelIdIsQuoted) {
  const std::string id = "My\nModel" + std::string(10'000, 'x');
  const std::string quoted = "got \"My\\nModel" + std::string(32, 'x') + "…\"";
  EXPECT_THAT(CreateModel(id, LinearConfig()).error_message(), ::testing::EndsWith(quoted));
  v1::ForkModelRequest fork;
  fork.set_name("models/m");
  fork.set_model_id(id);
  v1::Model ignored;
  grpc::ClientContext first;
  EXPECT_THAT(models_->ForkModel(&first, fork, &ignored).error_message(),
              ::testing::EndsWith(quoted));
  v1::GetModelRequest get;
  get.set_name("models/" + id);
  grpc::ClientContext second;
  EXPECT_EQ(models_->GetModel(&second, get, &ignored).error_message(),
            "model " + quoted.substr(4) + " does not exist");
  get.set_name(id);
  grpc::ClientContext third;
  EXPECT_EQ(models_->GetModel(&third, get, &ignored).error_message(),
            "name: must be models/{model}, " + quoted);
}

TEST_F(RefusalTest, QueriesThatCannotBeAnswered) {
  grpc::ClientContext context;
  v1::PredictRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearQuery();
  AskForLevel(1.5, request.mutable_options());
  v1::PredictResponse response;
  const ErrorParts parts = PartsOf(learning_->Predict(&context, request, &response));
  EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(parts.fields, ::testing::ElementsAre("options.queries[0].options.levels[0]"));
}

TEST_F(RefusalTest, PagesThatDoNotExist) {
  v1::ListModelsRequest request;
  v1::ListModelsResponse response;
  request.set_page_size(-1);
  grpc::ClientContext first;
  EXPECT_THAT(PartsOf(models_->ListModels(&first, request, &response)).fields,
              ::testing::ElementsAre("page_size"));
  request.set_page_size(0);
  request.set_page_token("nonsense");
  grpc::ClientContext second;
  EXPECT_THAT(PartsOf(models_->ListModels(&second, request, &response)).fields,
              ::testing::ElementsAre("page_token"));
}

TEST_F(RefusalTest, ADeadlineThatHasPassed) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() - std::chrono::seconds(1));
  v1::LearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1);
  v1::LearnResponse response;
  EXPECT_EQ(learning_->Learn(&context, request, &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace prequel::refusal_test
