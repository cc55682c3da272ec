#include "server/memory/in_flight.h"

#include "server/memory/shortage.h"

namespace prequel {
namespace {

// What is in flight changes from one moment to the next.
constexpr std::chrono::milliseconds kSoon{100};

}  // namespace

absl::Status InFlight::Share::Take(std::int64_t bytes) {
  if (of_ == nullptr) return absl::OkStatus();
  absl::Status status = of_->Take(place_, bytes);
  if (status.ok()) bytes_ += bytes;
  return status;
}

void InFlight::Share::Count(std::int64_t bytes) {
  if (of_ == nullptr) return;
  of_->Count(place_, bytes);
  bytes_ += bytes;
}

InFlight::Share InFlight::Join(std::string_view caller, std::string_view connection) {
  MutexLock lock(mu_);
  Place place;
  place.caller = callers_.try_emplace(std::string(caller)).first;
  place.connection = place.caller->second.connections.try_emplace(std::string(connection)).first;
  ++place.connection->second.shares;
  return Share(this, place);
}

std::int64_t InFlight::used() const {
  MutexLock lock(mu_);
  return used_;
}

std::int64_t InFlight::refused() const {
  MutexLock lock(mu_);
  return refused_;
}

// A caller may have m = (B − (u − h)) / 2, where B is the budget, u what is used, h what the caller
// has and c what the connection has of it, all after the bytes were taken:
//
//   h ≤ B − u   ⇔   h ≤ m,        c ≤ 3 (m − h)
//
// Alone, c = h = u, so that c ≤ 3/8 B.
absl::Status InFlight::Take(const Place& place, std::int64_t bytes) {
  MutexLock lock(mu_);
  const std::int64_t of_caller = place.caller->second.bytes + bytes;
  const std::int64_t of_connection = place.connection->second.bytes + bytes;
  const std::int64_t twice_left = limit_ - used_ - bytes - of_caller;  // 2 (m − h)
  if (twice_left < 0 || 2 * of_connection > 3 * twice_left) {
    ++refused_;
    const bool fits_alone = 8 * bytes <= 3 * limit_;
    return ShortageError({.budget = "in_flight",
                          .wanted = bytes,
                          .yours = place.caller->second.bytes,
                          .used = used_,
                          .limit = limit_,
                          .retry_after = fits_alone ? kSoon : std::chrono::milliseconds(0)});
  }
  CountLocked(place, bytes);
  return absl::OkStatus();
}

void InFlight::Count(const Place& place, std::int64_t bytes) {
  MutexLock lock(mu_);
  CountLocked(place, bytes);
}

void InFlight::CountLocked(const Place& place, std::int64_t bytes) {
  used_ += bytes;
  place.caller->second.bytes += bytes;
  place.connection->second.bytes += bytes;
}

void InFlight::Leave(const Place& place, std::int64_t bytes) {
  MutexLock lock(mu_);
  CountLocked(place, -bytes);
  if (--place.connection->second.shares > 0) return;
  Connections& connections = place.caller->second.connections;
  connections.erase(place.connection);
  if (connections.empty()) callers_.erase(place.caller);
}

}  // namespace prequel
