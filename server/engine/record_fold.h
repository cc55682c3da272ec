// One record of a log, folded in: the same for replay, for time travel and for a fork.
#pragma once

#include "absl/status/status.h"
#include "core/learner/learner.h"
#include "server/engine/codec.h"
#include "server/engine/learner_fold.h"
#include "server/storage/log.h"

namespace prequel {

// Not OK: the record cannot be one of this model's; the message says where it stands. An update
// that fails is OK: it failed when it was pushed, and was answered with its error.
// REQUIRES: record.offset is fold.current().next_offset.
absl::Status FoldRecord(const LogRecord& record, const Codec& codec, LearnerFold& fold,
                        Scratch& scratch);

// The same without folding: whether the record can be one of this model's.
absl::Status CheckRecord(const LogRecord& record, const Codec& codec, const Learner& learner);

// An error of `record`, which the message then says where it stands.
absl::Status AtRecord(const LogRecord& record, const absl::Status& status);

}  // namespace prequel
