// What one request holds of the quotas of its caller and of its model.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "server/auth/quotas/meter_use.h"
#include "server/auth/quotas/quotas.h"

namespace prequel {

// A QuotaUse gives back what it holds when it goes. Not thread-safe.
class QuotaUse {
 public:
  QuotaUse() = default;
  // A meter that is null bounds nothing: the caller, or the model, has no quotas.
  QuotaUse(std::shared_ptr<Meter> caller, std::shared_ptr<Meter> model)
      : caller_(std::move(caller)), model_(std::move(model)) {}

  // Take takes of both meters or of neither, and may be called again for more of the same request.
  // For the model the request is one of the calls in flight; for the caller its call is, which may
  // be a stream of many requests.
  absl::Status Take(const Quotas& of_caller, const Quotas& of_model, std::int64_t bytes,
                    std::int64_t rows);

 private:
  MeterUse caller_, model_;
};

}  // namespace prequel
