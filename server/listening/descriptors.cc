#include "server/listening/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

constexpr std::int64_t kFewest = 256;
constexpr std::int64_t kReserve = 64;
// Beyond these the store and HTTP have no use for more.
constexpr std::int64_t kMostOfStore = 512, kMostOfHttp = 128;

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::int64_t DescriptorLimit() {
  constexpr rlim_t kMost = std::numeric_limits<int>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMost;
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, kMost));
}

absl::StatusOr<DescriptorShares> DivideDescriptors(std::int64_t limit) {
  if (limit < kFewest) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the process may have ", limit, " files open, and needs at least ", kFewest,
        ": raise the limit (ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of a container)"));
  }
  const std::int64_t free = limit - kReserve;
  const std::int64_t store = std::min(free / 4, kMostOfStore);
  const std::int64_t http = std::min(free / 8, kMostOfHttp);
  return DescriptorShares{.store = static_cast<int>(store),
                          .http = static_cast<int>(http),
                          .grpc = static_cast<int>(free - store - http)};
}

}  // namespace prequel
