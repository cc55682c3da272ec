// What somebody holds of one meter.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "server/auth/quotas/meter.h"

namespace prequel {

// A MeterUse gives back what it holds when it goes. Without a meter nothing is refused. Not
// thread-safe.
class MeterUse {
 public:
  MeterUse() = default;
  explicit MeterUse(std::shared_ptr<Meter> meter) : meter_(std::move(meter)) {}
  MeterUse(MeterUse&& other) noexcept { *this = std::move(other); }
  MeterUse& operator=(MeterUse&& other) noexcept;
  ~MeterUse();

  absl::Status Take(const Quotas& quotas, const Amounts& amounts);
  absl::Status TakeModel(const Quotas& quotas, std::int64_t existing);
  // GiveBack gives `amounts` back as if they had not been taken.
  void GiveBack(const Amounts& amounts);

  const Amounts& held() const { return held_; }

 private:
  std::shared_ptr<Meter> meter_;
  Amounts held_;  // except rows, which are used, not held
};

}  // namespace prequel
