#include "server/auth/quotas/quota_refusal.h"

#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace prequel {
namespace {

constexpr char kQuotaPayload[] = "prequel/quota";
constexpr char kOwnerPayload[] = "prequel/quota-of";
constexpr char kRetryPayload[] = "prequel/retry-after-ms";

}  // namespace

absl::Status QuotaError(const QuotaRefusal& refusal, std::string_view what) {
  absl::Status status = absl::ResourceExhaustedError(absl::StrCat(
      "quota ", refusal.quota, " of ", refusal.owner, ": ", std::string(what), "; try again in ",
      static_cast<double>(refusal.retry_after.count()) / 1e3, " s"));
  status.SetPayload(kQuotaPayload, absl::Cord(refusal.quota));
  status.SetPayload(kOwnerPayload, absl::Cord(refusal.owner));
  status.SetPayload(kRetryPayload, absl::Cord(absl::StrCat(refusal.retry_after.count())));
  return status;
}

std::optional<QuotaRefusal> QuotaRefusalOf(const absl::Status& status) {
  const absl::optional<absl::Cord> quota = status.GetPayload(kQuotaPayload);
  const absl::optional<absl::Cord> owner = status.GetPayload(kOwnerPayload);
  const absl::optional<absl::Cord> retry = status.GetPayload(kRetryPayload);
  std::int64_t milliseconds = 0;
  if (!quota || !owner || !retry || !absl::SimpleAtoi(std::string(*retry), &milliseconds)) {
    return std::nullopt;
  }
  return QuotaRefusal{std::string(*quota), std::string(*owner),
                      std::chrono::milliseconds(milliseconds)};
}

}  // namespace prequel
