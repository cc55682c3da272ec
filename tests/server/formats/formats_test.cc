// What is stored of a model: configuration and minibatch, ledger and state, and the file that
// ExportModel makes of them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/scores/score_table.h"
#include "google/protobuf/util/message_differencer.h"
#include "server/engine/engine.h"
#include "server/engine/history/capture.h"
#include "server/wire_codec.h"
#include "tests/core/belief_of.h"
#include "tests/core/golden_file.h"
#include "tests/fuzz/capture_bytes.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::formats_test {
namespace {

// `current`: what is written now.
std::string Golden(const std::string& name, const std::string& current) {
  return GoldenFile(std::string(PREQUEL_GOLDEN) + "/" + name + "_v1.bin", current);
}

LearnerConfig SomeConfig() {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2, .allow_missing = true},
                     {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 2}};
  config.target = {.name = "y", .labels = {"no", "yes"}, .allow_missing = true};
  config.model = {"mlp", {{"activation", std::string("tanh")}, {"hidden", std::vector<double>{2}}}};
  config.likelihood = {"bernoulli", {}};
  config.prior = {
      "isotropic",
      {{"bias_precision", 1.0}, {"layer_scale", std::string("none")}, {"precision", 1.0}}};
  config.posterior = {"diagonal", {}};
  config.rule = {"rvga",
                 {{"expectation", std::string("linearized")},
                  {"mode", std::string("recursive")},
                  {"passes", 10.0},
                  {"samples", 10.0},
                  {"scheme", std::string("implicit")},
                  {"tolerance", 0.0009765625}}};
  config.calibration.name = "none";
  config.dynamics.name = "static";
  config.standardize_window = RunningMoments::kAllRows;
  config.standardize_inputs = Standardize::kRunning;
  config.standardize_targets = Standardize::kNone;
  config.seed = 7;
  return config;
}

// Numbers of few binary digits.
LearnerState SomeState(const Learner& learner) {
  LearnerState state = learner.Initial();
  state.revision = 2;
  state.examples = 12;
  state.inputs.moments.count.setConstant(12);
  state.inputs.moments.mean << 0.5, -0.25;
  state.inputs.moments.m2 << 6, 3;
  state.inputs.units.location = state.inputs.moments.mean;
  for (Index i = 0; i < 2; ++i) state.inputs.units.scale[i] = state.inputs.moments.KnownScale(i);
  auto& q = std::get<DiagonalGaussian>(BeliefOf(state).posterior);
  for (Index i = 0; i < q.size(); ++i) {
    q.mean[i] = 0.25 * static_cast<double>(i - 4);
    q.precision[i] = 1 + 0.5 * static_cast<double>(i);
  }
  state.evaluation.cumulative.RestoreWeight(10);
  for (const Score& score : ScoresOf(TargetKind::kClasses)) {
    std::vector<double> sums(score.num_sums);
    if (score.name == "nll") sums[0] = 6.5;
    state.evaluation.cumulative.Restore(score.name, 10, sums.data(), sums.size());
  }
  state.evaluation.skipped_rows = 2;
  return state;
}

Ledger SomeLedger() {
  Learned learned;
  learned.scores.examples = 6;
  learned.scores.Add("nll", 0.625);
  learned.scores.Add("accuracy", 0.75);
  learned.report.rows = 6;
  learned.report.passes = 3;
  learned.report.kl = 0.125;
  Ledger ledger;
  ledger.Record({"producer", 1}, {.revision = 1, .learned = learned});
  ledger.Record({"producer", 2}, {.status = FieldError("batch.inputs", "is odd"), .revision = 1});
  ledger.Record({"request", 0}, {.revision = 2, .learned = learned});
  return ledger;
}

FoldParts PartsWith(Ledger ledger) {
  FoldParts parts;
  std::get<Ledger>(parts) = std::move(ledger);
  return parts;
}

ModelFold SomeFold(const std::shared_ptr<const Learner>& learner) {
  const auto state = std::make_shared<const LearnerState>(SomeState(*learner));
  Published current{.revision = state->revision, .state = state};
  return ModelFold(learner, {std::move(current), PartsWith(SomeLedger())});
}

std::string CaptureBytes(const ModelFold& fold) {
  std::string bytes;
  const absl::Status written = WriteCapture(CaptureOf({}, fold), [&](std::string_view chunk) {
    bytes.append(chunk);
    return absl::OkStatus();
  });
  EXPECT_TRUE(written.ok()) << written;
  return bytes;
}

ModelFile CurrentFile(const std::shared_ptr<const Learner>& learner) {
  return {.revision = 2,
          .create_time_us = 1'700'000'000'000'000,
          .build = "build",
          .config = wire::ConfigToBytes(SomeConfig()),
          .body = CaptureBytes(SomeFold(learner))};
}

std::string Written(ModelFile file) {
  ModelFileWriter writer(std::move(file));
  std::string bytes;
  for (std::string piece = writer.Next(); !piece.empty(); piece = writer.Next()) bytes += piece;
  return bytes;
}

std::shared_ptr<const Learner> SomeLearner() {
  return std::make_shared<const Learner>(Learner::Create(SomeConfig()).value());
}

TEST(FormatsTest, Configuration) {
  const std::string bytes = Golden("config", wire::ConfigToBytes(SomeConfig()));
  const absl::StatusOr<LearnerConfig> config = wire::ConfigFromBytes(bytes);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config, SomeConfig());
  EXPECT_EQ(wire::ConfigToBytes(*config), bytes);
}

TEST(FormatsTest, Minibatch) {
  v1::Batch proto;
  v1::Tensor& inputs = *proto.mutable_inputs();
  inputs.set_dtype(v1::Tensor::DTYPE_FLOAT32);
  for (const int extent : {2, 1}) inputs.add_shape(extent);
  inputs.set_data(std::string("\0\0\x20\x3F\0\0\x80\xC0", 8));  // 0.625, −4
  proto.add_text()->add_values("red");
  proto.mutable_text(0)->add_values("");
  proto.add_labels("yes");
  proto.add_labels("no");
  const std::string bytes = Golden("batch", proto.SerializeAsString());
  const absl::StatusOr<Batch> batch = wire::BatchFromBytes(bytes);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->inputs, (Matrix(1, 2) << 0.625, -4).finished());
  EXPECT_EQ(batch->text, (std::vector<std::vector<std::string>>{{"red", ""}}));
  EXPECT_EQ(batch->labels, (std::vector<std::string>{"yes", "no"}));
  v1::Batch read;
  ASSERT_TRUE(read.ParseFromString(bytes));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(read, proto));
}

Ledger LedgerWithRefusedRows() {
  Ledger ledger = SomeLedger();
  Learned learned;
  learned.scores.examples = 4;
  learned.scores.Add("nll", 0.5);
  learned.report.rows = 4;
  learned.refused.count = 2;
  ledger.Record({"producer", 3}, {.revision = 2, .learned = learned});
  return ledger;
}

TEST(FormatsTest, Capture) {
  const std::shared_ptr<const Learner> learner = SomeLearner();
  const auto state = std::make_shared<const LearnerState>(SomeState(*learner));
  const ModelFold fold(
      learner, {{.revision = state->revision, .state = state}, PartsWith(LedgerWithRefusedRows())});
  const std::string current = CaptureBytes(fold);
  const std::string bytes = Golden("capture", current);
  EXPECT_TRUE(bytes == current) << "bytes differ";
  absl::StatusOr<FoldPoint> point = DecodeCapture(bytes, *learner);
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_EQ(point->current.revision, 2);
  EXPECT_EQ(learner->EncodeState(*point->current.state), learner->EncodeState(*state));
  const absl::StatusOr<PastAnswer> answer =
      std::get<Ledger>(point->parts).AnswerTo({"producer", 1});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->learned.scores["accuracy"], 0.75);
  EXPECT_EQ(answer->learned.report.kl, 0.125);
  EXPECT_EQ(answer->learned.refused.count, 0);
  const absl::Status refusal = std::get<Ledger>(point->parts).AnswerTo({"producer", 2}).status();
  EXPECT_EQ(refusal, FieldError("batch.inputs", "is odd"));
  EXPECT_EQ(std::get<Ledger>(point->parts).AnswerTo({"producer", 3})->learned.refused.count, 2);
  EXPECT_EQ(std::get<Ledger>(point->parts).AnswerTo({"request", 0})->revision, 2);
  EXPECT_TRUE(CaptureBytes(ModelFold(learner, *std::move(point))) == current);
}

TEST(FormatsTest, ACaptureIsSectionsThatAreAllKnown) {
  const std::shared_ptr<const Learner> learner = SomeLearner();
  const std::string whole = CaptureBytes(SomeFold(learner));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const absl::Status cut = DecodeCapture(whole.substr(0, length), *learner).status();
    ASSERT_EQ(cut.code(), absl::StatusCode::kDataLoss) << length;
  }
  const std::string pending("\7pending\3\0\0\0\0\0\0\0abc", 19);
  const absl::Status unknown = DecodeCapture(whole + pending, *learner).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(unknown.message(), "unknown section \"pending\"");
  // Where it stands, whatever follows: a hostile file of many names is not read to its end.
  EXPECT_EQ(DecodeCapture(whole.substr(0, 4) + pending + "damage", *learner).status(), unknown);
  const absl::Status twice = DecodeCapture(whole + whole.substr(4), *learner).status();
  EXPECT_EQ(twice.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(twice.message(), "has section \"ledger\" twice");
}

TEST(FormatsTest, APartThatACaptureDoesNotHaveBeginsEmpty) {
  const std::shared_ptr<const Learner> learner = SomeLearner();
  const std::string state = learner->EncodeState(SomeState(*learner));
  std::string length(sizeof(std::uint64_t), '\0');
  for (std::size_t i = 0; i < 4; ++i) length[i] = static_cast<char>(state.size() >> (8 * i));
  const std::string bytes = std::string("\1\0\0\0\5state", 10) + length + state;
  const absl::StatusOr<FoldPoint> point = DecodeCapture(bytes, *learner);
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_TRUE(std::get<Ledger>(point->parts).producers().empty());
  EXPECT_TRUE(std::get<Ledger>(point->parts).requests().empty());
}

TEST(FormatsTest, ACaptureIsOfThePointWhereItWasTaken) {
  ModelFold fold = SomeFold(SomeLearner());
  const std::string then = CaptureBytes(fold);
  const Capture capture = CaptureOf({}, fold);
  fold.Advance({"producer", 3}, 0, absl::InternalError("x"), nullptr);
  fold.Advance({"other", 1}, 0, absl::InternalError("x"), nullptr);
  std::string bytes;
  const auto append = [&bytes](std::string_view chunk) {
    bytes.append(chunk);
    return absl::OkStatus();
  };
  ASSERT_TRUE(WriteCapture(capture, append).ok());
  EXPECT_TRUE(bytes == then);
  EXPECT_FALSE(CaptureBytes(fold) == then);
}

// Or the fuzzers would draw bytes that no capture can be.
TEST(FormatsTest, FuzzersWriteCapturesAsTheyAre) {
  const ModelFold fold = SomeFold(SomeLearner());
  EXPECT_TRUE(fuzz::CaptureBytes(fold.part<Ledger>().Encode(),
                                 fold.learner()->EncodeState(*fold.current().state)) ==
              CaptureBytes(fold));
}

// A file becomes a model, and is exported as it was but for the defaults that the model filled in.
TEST(FormatsTest, ModelFile) {
  const std::string current = Written(CurrentFile(SomeLearner()));
  const std::string bytes = Golden("model_file", current);
  EXPECT_TRUE(bytes == current) << "bytes differ";
  ModelFileReader reader(1 << 20);
  ASSERT_TRUE(reader.Add(bytes).ok());
  const absl::StatusOr<ModelFile> file = std::move(reader).Finish();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->revision, 2);
  EXPECT_EQ(file->create_time_us, 1'700'000'000'000'000);
  EXPECT_EQ(file->build, "build");
  EXPECT_EQ(Written(*file), bytes) << "a file is written as it was read";
  const auto store = MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
  const WireCodec codec;
  const SystemClock clock;
  const auto engine = Engine::Create({}, {*store, *store, *store, codec, clock, {}}).value();
  const absl::StatusOr<ModelInfo> info = engine->Import("m", *file);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->learner->EncodeState(*info->published.state),
            info->learner->EncodeState(SomeState(*info->learner)));
  const absl::StatusOr<ModelFile> exported = engine->Export("m", std::nullopt);
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->config, codec.EncodeConfig(info->learner->config())) << "dynamics, too";
  EXPECT_EQ(exported->body, file->body);
  EXPECT_EQ(exported->revision, 2);
}

}  // namespace
}  // namespace prequel::formats_test
