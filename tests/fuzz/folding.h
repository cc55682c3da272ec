// Records folded into a model without any log.
#pragma once

#include "absl/status/statusor.h"
#include "server/engine/records/record.h"

namespace prequel::fuzz {

// REQUIRES: the learner's CheckBatch(batch) is OK.
inline absl::StatusOr<Learned> Learn(ModelFold& fold, const Origin& origin, const Batch& batch,
                                     Scratch& scratch) {
  return Minibatch{.batch = batch}.Fold(fold, origin, {scratch});
}

inline void Refuse(ModelFold& fold, const Origin& origin, const absl::Status& status) {
  Scratch scratch;
  (void)Refusal{status}.Fold(fold, origin, {scratch});
}

}  // namespace prequel::fuzz
