#include "server/storage/store.h"

#include "absl/strings/str_cat.h"

namespace prequel {

absl::Status WritesRefused(const absl::Status& first) {
  return absl::UnavailableError(absl::StrCat(
      "the store refuses writes until ",
      absl::IsResourceExhausted(first) ? "the disk has room again" : "the server is restarted",
      ", since an earlier one failed: ", first.message()));
}

absl::StatusOr<StoredSnapshot> WriteFirst(SnapshotStore& store, LogId log,
                                          std::int64_t create_time_us, const FirstSnapshot& first) {
  StoredSnapshot head{.log = log,
                      .revision = first.revision,
                      .create_time_us = create_time_us,
                      .build = first.build};
  const absl::Status status = first.write([&](std::string_view chunk) {
    head.bytes += chunk.size();
    return store.WriteSnapshotChunk(log, 0, head.chunks++, chunk);
  });
  if (!status.ok()) return status;
  return head;
}

}  // namespace prequel
