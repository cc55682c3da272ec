#include "server/memory/in_flight.h"

#include "server/memory/shortage.h"

namespace prequel {
namespace {

// What is in flight changes from one moment to the next.
constexpr std::chrono::milliseconds kSoon{100};

}  // namespace

absl::Status InFlight::Share::Take(std::int64_t bytes) {
  if (of_ == nullptr) return absl::OkStatus();
  absl::Status status = of_->Take(caller_, bytes);
  if (status.ok()) bytes_ += bytes;
  return status;
}

void InFlight::Share::Count(std::int64_t bytes) {
  if (of_ == nullptr) return;
  of_->Count(caller_, bytes);
  bytes_ += bytes;
}

InFlight::Share InFlight::Join(std::string_view caller) {
  MutexLock lock(mu_);
  const auto it = callers_.try_emplace(std::string(caller)).first;
  ++it->second.shares;
  return Share(this, it);
}

std::int64_t InFlight::used() const {
  MutexLock lock(mu_);
  return used_;
}

absl::Status InFlight::Take(Callers::iterator caller, std::int64_t bytes) {
  MutexLock lock(mu_);
  std::int64_t& had = caller->second.bytes;
  const std::int64_t left = limit_ - used_ - bytes;
  if (left < 0 || had + bytes > left) {
    return ShortageError({.budget = "in_flight",
                          .wanted = bytes,
                          .yours = had,
                          .used = used_,
                          .limit = limit_,
                          .retry_after = kSoon});
  }
  had += bytes;
  used_ += bytes;
  return absl::OkStatus();
}

void InFlight::Count(Callers::iterator caller, std::int64_t bytes) {
  MutexLock lock(mu_);
  caller->second.bytes += bytes;
  used_ += bytes;
}

void InFlight::Leave(Callers::iterator caller, std::int64_t bytes) {
  MutexLock lock(mu_);
  used_ -= bytes;
  caller->second.bytes -= bytes;
  if (--caller->second.shares == 0) callers_.erase(caller);
}

}  // namespace prequel
