#include "server/storage/catalogue.h"

namespace prequel {

absl::StatusOr<StoredSnapshot> WriteFirst(SnapshotStore& store, const StoredModel& model,
                                          const FirstSnapshot& first) {
  StoredSnapshot head{.model = model.id,
                      .log = model.log,
                      .revision = first.revision,
                      .create_time_us = model.create_time_us,
                      .build = first.build};
  const absl::Status status = first.write([&](std::string_view chunk) {
    head.bytes += chunk.size();
    return store.WriteSnapshotChunk(model.id, 0, head.chunks++, chunk);
  });
  if (!status.ok()) return status;
  return head;
}

}  // namespace prequel
