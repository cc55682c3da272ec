#include "server/storage/log.h"

#include <limits>

namespace prequel {

absl::Status VisitLog(const Log& log, LogId id, std::uint64_t from, RecordVisitor visit) {
  const std::unique_ptr<Follower> follower = log.Follow(id, from);
  while (true) {
    const absl::StatusOr<Follower::Progress> progress =
        follower->Next(std::numeric_limits<std::size_t>::max(), visit);
    if (!progress.ok()) return progress.status();
    if (*progress == Follower::Progress::kCaughtUp) return absl::OkStatus();
  }
}

}  // namespace prequel
