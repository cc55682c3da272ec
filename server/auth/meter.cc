#include "server/auth/meter.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace prequel {
namespace {

constexpr char kQuotaPayload[] = "prequel/quota";
constexpr char kRetryPayload[] = "prequel/retry-after-ms";

// What is in flight changes from one moment to the next, how many models there are by hand.
constexpr std::chrono::milliseconds kSoon{100};
constexpr std::chrono::milliseconds kMuchLater{60'000};

}  // namespace

absl::Status QuotaError(const QuotaRefusal& refusal, std::string_view what) {
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrCat("quota ", refusal.quota, ": ", std::string(what), "; try again in ",
                   static_cast<double>(refusal.retry_after.count()) / 1e3, " s"));
  status.SetPayload(kQuotaPayload, absl::Cord(refusal.quota));
  status.SetPayload(kRetryPayload, absl::Cord(absl::StrCat(refusal.retry_after.count())));
  return status;
}

std::optional<QuotaRefusal> QuotaRefusalOf(const absl::Status& status) {
  const absl::optional<absl::Cord> quota = status.GetPayload(kQuotaPayload);
  const absl::optional<absl::Cord> retry = status.GetPayload(kRetryPayload);
  std::int64_t milliseconds = 0;
  if (!quota || !retry || !absl::SimpleAtoi(std::string(*retry), &milliseconds)) {
    return std::nullopt;
  }
  return QuotaRefusal{std::string(*quota), std::chrono::milliseconds(milliseconds)};
}

absl::Status Meter::BeginCall(const Quotas& quotas) {
  MutexLock lock(mu_);
  if (quotas.calls_in_flight > 0 && calls_ >= quotas.calls_in_flight) {
    return QuotaError({"calls_in_flight", kSoon},
                      absl::StrCat(quotas.calls_in_flight, " calls are in progress"));
  }
  ++calls_;
  return absl::OkStatus();
}

void Meter::EndCall() {
  MutexLock lock(mu_);
  --calls_;
}

absl::Status Meter::CheckRows(const Quotas& quotas, Clock::time_point now) {
  const auto rate = static_cast<double>(quotas.rows_per_second);
  if (!counted_) rows_ = rate;
  const double elapsed = std::chrono::duration<double>(now - counted_.value_or(now)).count();
  rows_ = std::min(rate, rows_ + rate * std::max(0.0, elapsed));
  counted_ = now;
  if (rows_ > 0) return absl::OkStatus();
  const auto wait = static_cast<std::int64_t>(std::ceil(1e3 * (1 - rows_) / rate));
  return QuotaError({"rows_per_second", std::chrono::milliseconds(wait)},
                    absl::StrCat("more than ", quotas.rows_per_second, " rows a second"));
}

absl::Status Meter::Take(const Quotas& quotas, std::int64_t bytes, std::int64_t rows,
                         Clock::time_point now) {
  MutexLock lock(mu_);
  if (quotas.bytes_in_flight > 0 && bytes_ > 0 && bytes_ + bytes > quotas.bytes_in_flight) {
    return QuotaError({"bytes_in_flight", kSoon},
                      absl::StrCat("of ", quotas.bytes_in_flight, " bytes, ", bytes_,
                                   " are in progress; this request has ", bytes));
  }
  if (quotas.rows_per_second > 0 && rows > 0) {
    if (absl::Status status = CheckRows(quotas, now); !status.ok()) return status;
    rows_ -= static_cast<double>(rows);
  }
  bytes_ += bytes;
  return absl::OkStatus();
}

void Meter::GiveBack(std::int64_t bytes) {
  MutexLock lock(mu_);
  bytes_ -= bytes;
}

absl::Status Meter::BeginModel(const Quotas& quotas, std::int64_t existing) {
  MutexLock lock(mu_);
  if (quotas.models > 0 && existing + models_ >= quotas.models) {
    return QuotaError({"max_models", kMuchLater},
                      absl::StrCat("there are ", existing + models_, " models, of ", quotas.models,
                                   " that may be"));
  }
  ++models_;
  return absl::OkStatus();
}

void Meter::EndModel() {
  MutexLock lock(mu_);
  --models_;
}

}  // namespace prequel
