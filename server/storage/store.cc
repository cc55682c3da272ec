#include "server/storage/store.h"

#include "absl/strings/str_cat.h"

namespace prequel {

absl::Status WritesRefused(const absl::Status& first) {
  return absl::UnavailableError(absl::StrCat(
      "the store refuses writes until ",
      absl::IsResourceExhausted(first) ? "the disk has room again" : "the server is restarted",
      ", since an earlier one failed: ", first.message()));
}

}  // namespace prequel
