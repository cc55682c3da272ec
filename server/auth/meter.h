// What one principal uses, and what it may use.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/sync/mutex.h"

namespace prequel {

// Of one principal, over all of its calls. 0: no limit.
struct Quotas {
  std::int64_t calls_in_flight = 0;  // a stream is one
  std::int64_t bytes_in_flight = 0;  // of requests that are not answered
  std::int64_t rows_per_second = 0;  // learned and predicted, on average
  std::int64_t models = 0;           // that exist and match its patterns, when it makes another

  bool Any() const {
    return calls_in_flight > 0 || bytes_in_flight > 0 || rows_per_second > 0 || models > 0;
  }
};

// RESOURCE_EXHAUSTED, with the name of the quota and when it is worth trying again.
struct QuotaRefusal {
  std::string quota;
  std::chrono::milliseconds retry_after{0};
};
absl::Status QuotaError(const QuotaRefusal& refusal, std::string_view what);
// What such an error says.
std::optional<QuotaRefusal> QuotaRefusalOf(const absl::Status& status);

// Thread-safe. What is refused is not counted; what is counted is given back once.
class Meter {
 public:
  using Clock = std::chrono::steady_clock;

  absl::Status BeginCall(const Quotas& quotas);
  void EndCall();

  // Both or none. A request larger than the quota passes when it is alone, and rows beyond those
  // that are due are paid off before the next: nothing is refused for ever.
  absl::Status Take(const Quotas& quotas, std::int64_t bytes, std::int64_t rows,
                    Clock::time_point now = Clock::now());
  void GiveBack(std::int64_t bytes);

  // With `existing` models there.
  absl::Status BeginModel(const Quotas& quotas, std::int64_t existing);
  void EndModel();

 private:
  // Counts what has become due since the last time, then says whether any is left.
  absl::Status CheckRows(const Quotas& quotas, Clock::time_point now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Mutex mu_;
  std::int64_t calls_ ABSL_GUARDED_BY(mu_) = 0;
  std::int64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  std::int64_t models_ ABSL_GUARDED_BY(mu_) = 0;  // being made
  // Rows that may pass at once; below 0 they are owed. A second's worth at most.
  double rows_ ABSL_GUARDED_BY(mu_) = 0;
  std::optional<Clock::time_point> counted_ ABSL_GUARDED_BY(mu_);  // rows_
};

}  // namespace prequel
