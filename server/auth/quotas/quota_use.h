// What one request holds of the quotas of its caller and of its model.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "server/auth/quotas/meter_use.h"
#include "server/auth/quotas/quotas.h"

namespace prequel {

// Gives it back when it goes. Not thread-safe.
class QuotaUse {
 public:
  QuotaUse() = default;
  // Null: no quotas bound the one or the other.
  QuotaUse(std::shared_ptr<Meter> caller, std::shared_ptr<Meter> model)
      : caller_(std::move(caller)), model_(std::move(model)) {}

  // Of both or of neither; again for more of the same request. To the model it is one of the calls
  // in flight; to the caller its call is, which may be a stream of many.
  absl::Status Take(const Quotas& of_caller, const Quotas& of_model, std::int64_t bytes,
                    std::int64_t rows);

 private:
  MeterUse caller_, model_;
};

}  // namespace prequel
