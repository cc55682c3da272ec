// What is in use of a principal's quotas, or of a model's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/auth/quotas/quotas.h"
#include "server/sync/mutex.h"

namespace prequel {

// Amounts is what is taken of a meter at once.
struct Amounts {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t rows = 0;
  std::int64_t models = 0;  // being made
};

// What a Meter refuses is not counted; what is counted is given back once, except for rows, which
// become due with time. The quotas are those of now, whatever they were before. Thread-safe.
class Meter {
 public:
  using Clock = std::chrono::steady_clock;

  // `owner` is whom a refusal names: "ingest", a principal, or "models/moons".
  explicit Meter(std::string owner) : owner_(std::move(owner)) {}

  // Take takes all of `amounts` or nothing. `held`: what the same request has taken before. A
  // request that is larger than the quota passes when it is alone, and rows beyond those that are
  // due are paid off before the next: nothing is refused for ever.
  absl::Status Take(const Quotas& quotas, const Amounts& amounts, const Amounts& held = {},
                    Clock::time_point now = Clock::now());
  // TakeModel takes one more model, where the principal has `existing` models.
  absl::Status TakeModel(const Quotas& quotas, std::int64_t existing);
  // GiveBack gives `amounts` back; rows in it are those that were taken for nothing.
  void GiveBack(const Amounts& amounts);

  // Whether a new meter would do as well: nothing is in use, and no rows are owed.
  bool IsAsNew(Clock::time_point now = Clock::now()) const;

 private:
  // CheckRows counts the rows that have become due since the last time, then says whether any is
  // left.
  absl::Status CheckRows(std::int64_t per_second, Clock::time_point now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  double RowsAt(Clock::time_point now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string owner_;
  mutable Mutex mu_;
  Amounts used_ ABSL_GUARDED_BY(mu_);  // except rows
  // Rows that may pass at once; below 0 they are owed. A second's worth at most.
  double rows_ ABSL_GUARDED_BY(mu_) = 0;
  double rate_ ABSL_GUARDED_BY(mu_) = 0;                           // of rows_, a second
  std::optional<Clock::time_point> counted_ ABSL_GUARDED_BY(mu_);  // rows_; none: never
};

}  // namespace prequel
