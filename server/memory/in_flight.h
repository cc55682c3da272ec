// The memory of what is in flight: requests that are not answered, and answers that their clients
// have not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "server/sync/mutex.h"

namespace prequel {

// InFlight divides one budget among callers by dynamic thresholds (Choudhury and Hahne 1998): a
// caller may have as much as is free. So one alone can have half of the budget, n of them have
// 1/(n+1) each, and as much is always left for who comes next. What a caller may have is divided
// among its connections in the same way, except that a connection may have three times as much as
// is free: alone 3/8 of the budget. Thread-safe. Outlives its shares.
class InFlight {
 private:
  struct Connection {
    std::int64_t bytes = 0;
    std::size_t shares = 0;
  };
  using Connections = std::map<std::string, Connection, std::less<>>;
  struct Caller {
    std::int64_t bytes = 0;
    Connections connections;
  };
  using Callers = std::map<std::string, Caller, std::less<>>;
  struct Place {
    Callers::iterator caller;
    Connections::iterator connection;  // of the caller's
  };

 public:
  // A Share is what one call on a connection has; gives it back when destroyed. One thread at a
  // time.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept { *this = std::move(other); }
    Share& operator=(Share&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(place_, other.place_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (of_ != nullptr) of_->Leave(place_, bytes_);
    }

    // Take is RESOURCE_EXHAUSTED (ShortageOf) beyond what the caller may have; to be tried again,
    // unless `bytes` would be too many if nothing else were taken. Without a budget all is OK.
    absl::Status Take(std::int64_t bytes);
    // Count counts `bytes` that are in memory already, beyond what the caller may have, too.
    void Count(std::int64_t bytes);
    void GiveBack(std::int64_t bytes) { Count(-bytes); }
    std::int64_t bytes() const { return bytes_; }

   private:
    friend class InFlight;
    Share(InFlight* of, const Place& place) : of_(of), place_(place) {}

    InFlight* of_ = nullptr;  // null: of no budget
    Place place_;
    std::int64_t bytes_ = 0;
  };

  explicit InFlight(std::int64_t limit) : limit_(limit) {}

  Share Join(std::string_view caller, std::string_view connection);
  std::int64_t limit() const { return limit_; }
  std::int64_t used() const;
  // How often there was no room.
  std::int64_t refused() const;

 private:
  absl::Status Take(const Place& place, std::int64_t bytes);
  void Count(const Place& place, std::int64_t bytes);
  void CountLocked(const Place& place, std::int64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Leave(const Place& place, std::int64_t bytes);

  const std::int64_t limit_;
  mutable Mutex mu_;
  Callers callers_ ABSL_GUARDED_BY(mu_);
  std::int64_t used_ ABSL_GUARDED_BY(mu_) = 0;
  std::int64_t refused_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
