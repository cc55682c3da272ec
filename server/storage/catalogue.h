// The catalogue: which models there are, and what each begins with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/ids.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

struct StoredModel {
  std::string name;
  ModelId id{};
  LogId log{};                      // that it follows
  std::int64_t create_time_us = 0;  // microseconds since the Unix epoch
  bool from_snapshot = false;       // the log alone does not lead to its state
  std::string config;               // opaque: with every default filled in
  absl::Status problem;             // DATA_LOSS: only `name` and the ids could be read
};

// What a model begins with, when not with nothing: a snapshot at the first offset of its log.
struct FirstSnapshot {
  using Sink = absl::FunctionRef<absl::Status(std::string_view chunk)>;

  std::int64_t revision = 0;
  std::string build;
  std::function<absl::Status(Sink)> write;  // hands the chunks to the sink, in order
};

// Thread-safe.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  // Every model, ordered by name.
  virtual absl::StatusOr<std::vector<StoredModel>> ListModels() const = 0;

  // A model with an empty log of its own. `first` may be null. Durable and whole, its first
  // snapshot included, once it returns OK; otherwise there is nothing. ALREADY_EXISTS for a name
  // that is taken. REQUIRES: `name` holds no zero byte.
  virtual absl::StatusOr<StoredModel> CreateModel(std::string_view name, std::string_view config,
                                                  std::int64_t create_time_us,
                                                  const FirstSnapshot* first) = 0;

  // Removes the model with its log and snapshots, durably and as a whole. NOT_FOUND if there is
  // none. REQUIRES: nobody appends to its log now or later.
  virtual absl::Status DeleteModel(std::string_view name, ModelId id) = 0;
};

// Writes the chunks of `first` for `model`; its head is yet to be committed.
absl::StatusOr<StoredSnapshot> WriteFirst(SnapshotStore& store, const StoredModel& model,
                                          const FirstSnapshot& first);

}  // namespace prequel
