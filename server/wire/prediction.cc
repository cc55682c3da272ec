#include "server/wire/prediction.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "server/wire/tensor.h"
#include "server/wire/text.h"

namespace prequel::wire {
namespace {

void SetMatrix(const Matrix& matrix, v1::Tensor* (v1::Predictions::*field)(),
               v1::Predictions* proto) {
  if (matrix.size() > 0) TensorFromMatrix(matrix, {matrix.rows()}, (proto->*field)());
}

void SetVector(const Vector& vector, v1::Tensor* (v1::Predictions::*field)(),
               v1::Predictions* proto) {
  if (vector.size() > 0) TensorFromVector(vector, (proto->*field)());
}

}  // namespace

absl::StatusOr<PredictOptions> PredictOptionsFromProto(const v1::PredictOptions& proto) {
  PredictOptions options;
  if (!proto.quantiles().empty()) {
    options.quantiles.assign(proto.quantiles().begin(), proto.quantiles().end());
  }
  options.samples =
      static_cast<int>(std::min<std::uint32_t>(proto.samples(), std::numeric_limits<int>::max()));
  options.logits = proto.logits();
  const absl::Status status = CheckPredictOptions(options);
  if (!status.ok()) return status;
  return options;
}

void PredictionsToProto(const Predictions& predictions, v1::Predictions* proto) {
  using P = v1::Predictions;
  SetMatrix(predictions.mean, &P::mutable_mean, proto);
  SetMatrix(predictions.epistemic_variance, &P::mutable_epistemic_variance, proto);
  SetMatrix(predictions.aleatoric_variance, &P::mutable_aleatoric_variance, proto);
  if (predictions.quantiles.size() > 0) {
    const auto levels = static_cast<Index>(predictions.quantile_levels.size());
    TensorFromMatrix(predictions.quantiles, {predictions.quantiles.rows() / levels, levels},
                     proto->mutable_quantiles());
    proto->mutable_quantile_levels()->Add(predictions.quantile_levels.begin(),
                                          predictions.quantile_levels.end());
  }
  SetMatrix(predictions.probabilities, &P::mutable_probabilities, proto);
  for (const std::string& label : predictions.labels) proto->add_labels(Readable(label));
  SetVector(predictions.entropy, &P::mutable_entropy, proto);
  SetVector(predictions.aleatoric_entropy, &P::mutable_aleatoric_entropy, proto);
  SetVector(predictions.epistemic_entropy, &P::mutable_epistemic_entropy, proto);
  SetMatrix(predictions.logit_mean, &P::mutable_logit_mean, proto);
  if (predictions.logit_covariance.size() > 0) {
    const Index logits = predictions.logit_mean.rows();
    TensorFromMatrix(predictions.logit_covariance, {logits, logits},
                     proto->mutable_logit_covariance());
  }
}

}  // namespace prequel::wire
