#include "server/auth/quotas/meter_use.h"

namespace prequel {

MeterUse& MeterUse::operator=(MeterUse&& other) noexcept {
  std::swap(meter_, other.meter_);
  std::swap(held_, other.held_);
  return *this;
}

MeterUse::~MeterUse() {
  if (meter_ != nullptr) meter_->GiveBack(held_);
}

absl::Status MeterUse::Take(const Quotas& quotas, const Amounts& amounts) {
  if (meter_ == nullptr) return absl::OkStatus();
  absl::Status status = meter_->Take(quotas, amounts, held_);
  if (status.ok()) {
    held_.calls += amounts.calls;
    held_.bytes += amounts.bytes;
  }
  return status;
}

absl::Status MeterUse::TakeModel(const Quotas& quotas, std::int64_t existing) {
  if (meter_ == nullptr) return absl::OkStatus();
  absl::Status status = meter_->TakeModel(quotas, existing);
  if (status.ok()) ++held_.models;
  return status;
}

void MeterUse::GiveBack(const Amounts& amounts) {
  if (meter_ == nullptr) return;
  meter_->GiveBack(amounts);
  held_.calls -= amounts.calls;
  held_.bytes -= amounts.bytes;
}

}  // namespace prequel
