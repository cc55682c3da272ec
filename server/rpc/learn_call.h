// The conversions that Learn, LearnStream and PredictThenLearn share.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/learning_service.pb.h"
#include "server/engine/learn.h"

namespace prequel {

struct Submission {
  std::string model;
  LearnRequest request;
};

absl::StatusOr<Submission> SubmissionFromProto(std::string_view name, const v1::Batch& batch,
                                               Index max_rows, TimePoint deadline);

void LearnedToProto(const LearnOutcome& outcome, v1::LearnResponse* response);

}  // namespace prequel
