#include "server/auth/quotas/quota_use.h"

namespace prequel {

// Take takes of the caller's first: whoever is beyond its own quotas does not touch those that
// others share.
absl::Status QuotaUse::Take(const Quotas& of_caller, const Quotas& of_model, std::int64_t bytes,
                            std::int64_t rows) {
  const Amounts amounts{.bytes = bytes, .rows = rows};
  absl::Status status = caller_.Take(of_caller, amounts);
  if (!status.ok()) return status;
  const std::int64_t calls = model_.held().calls == 0 ? 1 : 0;
  status = model_.Take(of_model, {.calls = calls, .bytes = bytes, .rows = rows});
  if (!status.ok()) caller_.GiveBack(amounts);
  return status;
}

}  // namespace prequel
