#include "tests/end_to_end/crash_stream.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/make_tensor.h"
#include "server/engine/history/capture.h"
#include "server/engine/history/model_file.h"
#include "server/wire/batch_message.h"
#include "server/wire/config.h"
#include "server/wire/evaluation_message.h"
#include "server/wire/prediction_message.h"

namespace prequel {
namespace {

// Values, classes, counts, and values by the two that weigh rows.
constexpr int kKinds = 5;
constexpr std::int64_t kInputs = 3;

template <class T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
    std::abort();
  }
  return *std::move(value);
}

double Target(int kind, double sum, double noise) {
  if (kind == 0 || kind > 2) return sum + noise;
  if (kind == 1) return sum + 2 * noise > 0 ? 1 : 0;
  return std::floor(std::exp(0.3 * sum) + 1 + noise);
}

v1::Batch MakeBatch(int kind, double seed, std::int64_t rows) {
  std::vector<double> inputs, targets;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double at = seed + 0.37 * static_cast<double>(row);
    double sum = 0.2;
    for (std::int64_t i = 0; i < kInputs; ++i) {
      inputs.push_back(std::sin(at * static_cast<double>(2 * i + 1)));
      sum += inputs.back() * static_cast<double>(i - 1);
    }
    targets.push_back(Target(kind, sum, 0.5 * std::cos(57 * at)));
  }
  v1::Batch batch;
  *batch.mutable_inputs() = client::MakeTensor(inputs, {rows, kInputs});
  *batch.mutable_targets() = client::MakeTensor(targets, {rows});
  return batch;
}

}  // namespace

v1::ModelConfig CrashConfig(int model) {
  v1::ModelConfig config;
  v1::Feature& feature = *config.add_features();
  feature.set_name("x");
  feature.set_width(static_cast<std::uint32_t>(kInputs));
  config.mutable_target()->set_name("y");
  config.set_seed(static_cast<std::uint64_t>(model));
  const int kind = model % kKinds;
  config.mutable_model()->set_name(kind == 1 ? "mlp" : "linear");
  config.mutable_posterior()->set_name(kind == 2 ? "diagonal" : "full");
  config.mutable_likelihood()->set_name(kind == 1   ? "bernoulli"
                                        : kind == 2 ? "poisson"
                                                    : "gaussian");
  if (kind > 2) config.mutable_robustness()->set_name(kind == 3 ? "imq" : "mahalanobis_gate");
  if (kind == 1) {
    auto& fields = *config.mutable_model()->mutable_options()->mutable_fields();
    fields["hidden"].mutable_list_value()->add_values()->set_number_value(6);
  }
  return config;
}

v1::Batch CrashBatch(int model, int producer, std::int64_t sequence) {
  return MakeBatch(model % kKinds, 1.7 * static_cast<double>(sequence) + 0.11 * producer,
                   4 + sequence % 5);
}

v1::Batch CrashQuery() {
  v1::Batch query = MakeBatch(0, 0.5, 7);
  query.clear_targets();
  return query;
}

v1::PredictOptions CrashPredictOptions() {
  v1::PredictOptions options;
  options.add_queries()->set_name("logits");
  return options;
}

PlainFold::PlainFold(const v1::ModelConfig& config)
    : learner_(OrDie(Learner::Create(OrDie(wire::ConfigFromProto(config))))),
      state_(learner_.Initial()),
      next_(learner_.Initial()) {}

void PlainFold::Learn(const v1::Batch& proto) {
  const Batch batch = OrDie(wire::BatchFromProto(proto, wire::kAnyRows));
  OrDie(learner_.Update(state_, batch, scratch_, next_));
  std::swap(state_, next_);
}

std::string PlainFold::Predict(const v1::Batch& query) {
  const Batch batch = OrDie(wire::BatchFromProto(query, wire::kAnyRows));
  const QuerySet queries =
      OrDie(learner_.Ask(OrDie(wire::PredictOptionsFromProto(CrashPredictOptions()))));
  v1::Predictions proto;
  wire::AnswerToProto(OrDie(learner_.Predict(state_, batch, queries, scratch_)), &proto);
  return proto.SerializeAsString();
}

std::string PlainFold::Evaluation() const {
  v1::GetEvaluationResponse proto;
  proto.set_revision(state_.revision);
  wire::EvaluationToProto(learner_, state_, &proto);
  return proto.SerializeAsString();
}

bool PlainFold::IsIn(const std::string& file) const {
  ModelFileReader reader(file.size());
  if (!reader.Add(file).ok()) return false;
  const absl::StatusOr<ModelFile> read = std::move(reader).Finish();
  if (!read.ok()) return false;
  const absl::StatusOr<FoldPoint> restored = DecodeCapture(read->body, learner_);
  return restored.ok() &&
         learner_.EncodeState(*restored->current.state) == learner_.EncodeState(state_);
}

}  // namespace prequel
