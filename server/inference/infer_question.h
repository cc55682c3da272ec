// What a request of the open inference protocol asks: its version, its parameters and the outputs
// it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "core/predictive/query_set.h"
#include "inference/grpc_predict_v2.pb.h"

namespace prequel {

// The output beside `probabilities`: of BYTES [classes], the labels in class order.
inline constexpr char kLabels[] = "labels";

// The state that is asked: a model's versions are its revisions.
struct Moment {
  std::optional<std::int64_t> revision;  // none: the newest
  std::int64_t min_revision = 0;         // > 0: once the model has come to it
};

// INVALID_ARGUMENT unless `version` is empty or a revision.
absl::StatusOr<std::optional<std::int64_t>> RevisionOf(std::string_view version);

absl::StatusOr<Moment> MomentOf(const inference::ModelInferRequest& request);

// QuestionOf asks the queries of the outputs that are named, or, where no output is named, those
// that are answered by default, with their options. Parameters of a request:
//   min_revision   see Moment
//   samples, raw   as in PredictOptions
//   QUERY.OPTION   of a query, which is then asked: "quantiles.levels" = "0.1, 0.5, 0.9"
// Other parameters are ignored, as the protocol asks. INVALID_ARGUMENT names an output that is
// unknown, a value that is none for its parameter, and what is no option of a query.
absl::StatusOr<PredictOptions> QuestionOf(const inference::ModelInferRequest& request,
                                          const Learner& learner);

}  // namespace prequel
