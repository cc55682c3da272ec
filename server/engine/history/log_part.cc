#include "server/engine/history/log_part.h"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace prequel {
namespace {

constexpr std::uint64_t kRecordsPerRead = 256;

}  // namespace

absl::Status VisitPart(const Log& log, LogId id, std::uint64_t from, std::uint64_t until,
                       const StillWanted& wanted, RecordVisitor visit) {
  const std::unique_ptr<Follower> follower = log.Follow(id, from);
  while (follower->offset() < until) {
    const std::size_t limit = std::min(until - follower->offset(), kRecordsPerRead);
    const auto progress = follower->Next(limit, [&](const LogRecord& record) {
      absl::Status still = wanted ? wanted() : absl::OkStatus();
      return still.ok() ? visit(record) : still;
    });
    if (!progress.ok()) return progress.status();
    if (*progress == Follower::Progress::kCaughtUp) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsWhole(const Log& log, const StoredModel& model) {
  if (model.from_snapshot) return false;
  const absl::StatusOr<std::uint64_t> first = log.FirstOffset(model.log);
  if (!first.ok()) return first.status();
  return *first == 0;
}

}  // namespace prequel
