#include "server/engine/predictor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"

namespace prequel {
namespace {

// Numbers per row of the answer, at most.
double NumbersPerRow(const LearnerConfig& config, const PredictOptions& options) {
  const TargetConfig& target = config.target;
  const auto classes = std::max<double>(
      {2, static_cast<double>(target.labels.size()), static_cast<double>(target.num_classes)});
  const auto width = static_cast<double>(target.width);
  const double logits = std::max(classes, width);
  double numbers = classes + 3 + width * (3 + static_cast<double>(options.quantiles.size()));
  if (options.logits) numbers += logits + logits * logits;
  return numbers;
}

}  // namespace

absl::Status CheckAnswerSize(const Learner& learner, Index rows, const PredictOptions& options,
                             std::int64_t max_bytes) {
  const double bytes = 8 * static_cast<double>(rows) * NumbersPerRow(learner.config(), options);
  if (bytes <= static_cast<double>(max_bytes)) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("the predictive of ", rows, " rows would take ",
                                          static_cast<std::int64_t>(bytes), " bytes, the limit is ",
                                          max_bytes, ": ask for fewer rows at a time"));
}

absl::StatusOr<PredictOutcome> Predictor::Predict(std::string_view model, const Batch& batch,
                                                  const PredictOptions& options,
                                                  std::optional<std::int64_t> revision,
                                                  const StillWanted& wanted) const {
  if (absl::Status status = Admit(model, batch.rows(), options); !status.ok()) return status;
  return engine_.Predict(model, batch, options, revision, wanted);
}

void Predictor::PredictThenLearn(std::string_view model, LearnRequest request,
                                 LearnCallback done) const {
  absl::Status status = Admit(model, request.batch.rows(), *request.predict);
  if (!status.ok()) return done(std::move(status));
  engine_.Submit(model, std::move(request), std::move(done));
}

absl::Status Predictor::Admit(std::string_view model, Index rows,
                              const PredictOptions& options) const {
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(model);
  if (!info.ok()) return info.status();
  if (info->learner == nullptr) return info->problem;
  return CheckAnswerSize(*info->learner, rows, options, max_answer_bytes_);
}

}  // namespace prequel
