// A part of a model's log, read while somebody wants what comes of it.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/still_wanted.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"

namespace prequel {

// Calls `visit` with the records from offset `from` to before `until`, or to where the log has been
// caught up with. An error of `visit` ends the reading and is returned, as is what `wanted` says.
absl::Status VisitPart(const Log& log, LogId id, std::uint64_t from, std::uint64_t until,
                       const StillWanted& wanted, RecordVisitor visit);

// Whether the log alone leads to every state of `model`.
absl::StatusOr<bool> IsWhole(const Log& log, const StoredModel& model);

}  // namespace prequel
