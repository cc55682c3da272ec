#include "server/auth/quotas/meter.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "server/auth/quotas/quota_refusal.h"

namespace prequel {
namespace {

// What is in flight changes from one moment to the next, how many models there are by hand.
constexpr std::chrono::milliseconds kSoon{100};
constexpr std::chrono::milliseconds kMuchLater{60'000};

}  // namespace

absl::Status Meter::Take(const Quotas& quotas, const Amounts& amounts, const Amounts& held,
                         Clock::time_point now) {
  MutexLock lock(mu_);
  const std::int64_t calls = quotas.calls_in_flight;
  if (calls > 0 && amounts.calls > 0 && used_.calls + amounts.calls > calls) {
    return QuotaError({"calls_in_flight", owner_, kSoon},
                      absl::StrCat(used_.calls, " calls are in progress, of ", calls));
  }
  const std::int64_t bytes = quotas.bytes_in_flight;
  const bool alone = used_.bytes == held.bytes;
  if (bytes > 0 && amounts.bytes > 0 && !alone && used_.bytes + amounts.bytes > bytes) {
    return QuotaError({"bytes_in_flight", owner_, kSoon},
                      absl::StrCat("of ", bytes, " bytes, ", used_.bytes,
                                   " are in progress; this request has ", amounts.bytes));
  }
  if (quotas.rows_per_second > 0 && amounts.rows > 0) {
    if (absl::Status status = CheckRows(quotas.rows_per_second, now); !status.ok()) return status;
    rows_ -= static_cast<double>(amounts.rows);
  }
  used_.calls += amounts.calls;
  used_.bytes += amounts.bytes;
  return absl::OkStatus();
}

absl::Status Meter::CheckRows(std::int64_t per_second, Clock::time_point now) {
  const auto rate = static_cast<double>(per_second);
  if (!counted_) rows_ = rate;
  rate_ = rate;
  rows_ = RowsAt(now);
  counted_ = now;
  if (rows_ > 0) return absl::OkStatus();
  const auto wait = static_cast<std::int64_t>(std::ceil(1e3 * (1 - rows_) / rate));
  return QuotaError({"rows_per_second", owner_, std::chrono::milliseconds(wait)},
                    absl::StrCat("more than ", per_second, " rows a second"));
}

double Meter::RowsAt(Clock::time_point now) const {
  const double elapsed = std::chrono::duration<double>(now - counted_.value_or(now)).count();
  return std::min(rate_, rows_ + rate_ * std::max(0.0, elapsed));
}

absl::Status Meter::TakeModel(const Quotas& quotas, std::int64_t existing) {
  MutexLock lock(mu_);
  const std::int64_t models = existing + used_.models;
  if (quotas.models > 0 && models >= quotas.models) {
    return QuotaError(
        {"max_models", owner_, kMuchLater},
        absl::StrCat("there are ", models, " models, of ", quotas.models, " that may be"));
  }
  ++used_.models;
  return absl::OkStatus();
}

void Meter::GiveBack(const Amounts& amounts) {
  MutexLock lock(mu_);
  used_.calls -= amounts.calls;
  used_.bytes -= amounts.bytes;
  used_.models -= amounts.models;
  rows_ += static_cast<double>(amounts.rows);
}

bool Meter::IsAsNew(Clock::time_point now) const {
  MutexLock lock(mu_);
  return used_.calls == 0 && used_.bytes == 0 && used_.models == 0 && RowsAt(now) >= rate_;
}

}  // namespace prequel
