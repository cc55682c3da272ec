// Everything a server keeps on disk: the models it hosts, their logs and snapshots, as opaque
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

struct StoredModel {
  std::string name;
  LogId log = 0;
  std::int64_t create_time_us = 0;  // microseconds since the Unix epoch
  bool from_snapshot = false;       // the log alone does not lead to its state
  std::string config;
  absl::Status problem;  // DATA_LOSS: only `name` and `log` could be read
};

// What a model begins with, when not with nothing: a snapshot at offset 0 of its log.
struct FirstSnapshot {
  using Sink = absl::FunctionRef<absl::Status(std::string_view chunk)>;

  std::int64_t revision = 0;
  std::string build;
  std::function<absl::Status(Sink)> write;  // hands the chunks to the sink, in order
};

// Thread-safe. One process at a time may have a store open.
class Store : public Log, public SnapshotStore {
 public:
  // Every model, ordered by name.
  virtual absl::StatusOr<std::vector<StoredModel>> ListModels() const = 0;

  // `first` may be null. Durable and whole once it returns OK; otherwise there is nothing.
  // ALREADY_EXISTS for a name that is taken. REQUIRES: `name` holds no zero byte.
  virtual absl::StatusOr<StoredModel> CreateModel(std::string_view name, std::string_view config,
                                                  std::int64_t create_time_us,
                                                  const FirstSnapshot* first) = 0;

  // Removes the record, the whole log and its snapshots, durably and atomically. NOT_FOUND if there
  // is none. REQUIRES: nobody appends to `log` now or later.
  virtual absl::Status DeleteModel(std::string_view name, LogId log) = 0;

  // OK while writes are accepted; else the error since which they are refused.
  virtual absl::Status health() const = 0;

  // Lets writes in again once the disk that was full (health() is RESOURCE_EXHAUSTED) has room.
  // What had failed is then certain not to be in the store, nor after any crash. Returns health(),
  // and why it is no better: what was under way when the disk was full may fail yet, and another
  // attempt is to be made. Blocks for as long as what is in memory takes to write.
  virtual absl::Status Recover() = 0;
};

// Writes the chunks of `first` for the model of `log`; its head is yet to be committed.
absl::StatusOr<StoredSnapshot> WriteFirst(SnapshotStore& store, LogId log,
                                          std::int64_t create_time_us, const FirstSnapshot& first);

// What a write is refused with once an earlier one has failed with `first`.
absl::Status WritesRefused(const absl::Status& first);

}  // namespace prequel
