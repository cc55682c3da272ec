#include "server/storage/rocks/rocks_catalogue.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/model_record.h"
#include "server/storage/store.h"

namespace prequel {

absl::Status RocksCatalogue::Load() {
  std::string value;
  const rocksdb::Status status =
      database_.db().Get({}, database_.meta(), ToSlice(kNextIdKey), &value);
  const bool lost = status.IsNotFound() && marks_.loaded();  // with the write-ahead log
  if (!status.ok() && !lost) return ReadError(status);
  absl::StatusOr<std::uint64_t> next = 1;
  if (!lost) next = DecodeNextId(value);
  if (!next.ok()) return next.status();
  MutexLock lock(mu_);
  next_id_ = std::max(*next, marks_.next_id());
  return absl::OkStatus();
}

absl::StatusOr<StoredModel> RocksCatalogue::FindModel(std::string_view name) const {
  const std::unique_ptr<rocksdb::Iterator> it(database_.db().NewIterator({}, database_.models()));
  const std::string prefix = ModelKeyPrefix(name);
  it->Seek(prefix);
  if (!it->status().ok()) return ReadError(it->status());
  if (!it->Valid() || !it->key().starts_with(prefix)) return StoredModel();
  return DecodeModel(ToView(it->key()), {});
}

absl::StatusOr<std::vector<StoredModel>> RocksCatalogue::ListModels() const {
  absl::StatusOr<std::vector<StoredModel>> models = ListPresent();
  if (!models.ok()) return models;
  for (StoredModel& model : *models) {
    if (marks_.IsDeleted(model.log)) {
      model.problem = absl::DataLossError(
          "its deletion was acknowledged, and is not in the store, which has lost some of its last "
          "writes; delete it again, or let prequel-log accept-loss bring it back");
    } else if (model.problem.ok()) {
      model.problem = CheckEnd(model);
    }
  }
  absl::StatusOr<std::vector<StoredModel>> missing = ListMissing();
  if (!missing.ok()) return missing;
  models->insert(models->end(), missing->begin(), missing->end());
  std::ranges::stable_sort(*models, {}, &StoredModel::name);
  return models;
}

absl::Status RocksCatalogue::CheckEnd(const StoredModel& model) const {
  const std::uint64_t acknowledged = marks_.End(model.log);
  const absl::StatusOr<std::uint64_t> end = log_.StoredEnd(model.log);
  if (!end.ok() || *end >= acknowledged) return absl::OkStatus();  // whoever reads it will see
  const absl::StatusOr<std::vector<StoredSnapshot>> snapshots = snapshots_.ListSnapshots(model.id);
  if (!snapshots.ok()) return absl::OkStatus();
  std::uint64_t reached = *end, revision = *end;
  for (const StoredSnapshot& snapshot : *snapshots) {  // oldest first
    if (!snapshot.problem.ok()) continue;
    reached = std::max(reached, snapshot.next_offset);
    revision = static_cast<std::uint64_t>(snapshot.revision) + reached - snapshot.next_offset;
  }
  if (reached >= acknowledged) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("records ", reached, " to ", acknowledged - 1,
                   " of its log have been acknowledged, and are missing: revisions ", revision + 1,
                   " to ", revision + acknowledged - reached,
                   " are lost (if each record made one); prequel-log accept-loss --model ",
                   model.name, " goes on from what is there"));
}

absl::StatusOr<std::vector<StoredModel>> RocksCatalogue::ListMissing() const {
  absl::StatusOr<std::vector<StoredModel>> present = ListPresent();
  if (!present.ok()) return present;
  std::set<LogId> logs;
  std::set<std::string> names;
  for (const StoredModel& model : *present) {
    logs.insert(model.log);
    names.insert(model.name);
  }
  std::vector<StoredModel> missing;
  for (const Mark& mark : marks_.Missing(logs)) {
    // A model of that name is there: it is to be dealt with first.
    if (!names.insert(mark.name).second) continue;
    missing.push_back({.name = mark.name,
                       .id = mark.model,
                       .log = mark.log,
                       .problem = absl::DataLossError(absl::StrCat(
                           "it was acknowledged with ", mark.end,
                           " records, and is not in the store, which has lost some of its last "
                           "writes; delete it, or let prequel-log accept-loss forget it"))});
  }
  return missing;
}

absl::StatusOr<std::vector<StoredModel>> RocksCatalogue::ListPresent() const {
  const std::unique_ptr<rocksdb::Iterator> it(database_.db().NewIterator({}, database_.models()));
  std::vector<StoredModel> models;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    absl::StatusOr<StoredModel> model = DecodeModel(ToView(it->key()), ToView(it->value()));
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  if (!it->status().ok()) return ReadError(it->status());
  return models;
}

absl::StatusOr<StoredModel> RocksCatalogue::CreateModel(std::string_view name,
                                                        std::string_view config,
                                                        std::int64_t create_time_us,
                                                        const FirstSnapshot* first) {
  MutexLock lock(mu_);
  const absl::StatusOr<StoredModel> existing = FindModel(name);
  if (!existing.ok()) return existing.status();
  if (!existing->name.empty()) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  StoredModel model{.name = std::string(name),
                    .id = ModelId{next_id_},
                    .log = LogId{next_id_ + 1},
                    .create_time_us = create_time_us,
                    .from_snapshot = first != nullptr,
                    .config = std::string(config)};
  rocksdb::WriteBatch batch;
  if (first != nullptr) {
    if (absl::Status status = Begin(model, *first, batch); !status.ok()) return status;
  }
  batch.Put(database_.models(), ModelKey(model), EncodeModel(model));
  batch.Put(database_.meta(), ToSlice(kNextIdKey), EncodeNextId(next_id_ + 2));
  if (absl::Status health = gate_.health(); !health.ok()) return WritesRefused(health);
  if (const rocksdb::Status marked = marks_.Creating(model); !marked.ok()) {
    return WriteError(marked);
  }
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
  if (const rocksdb::Status marked = marks_.Created(model.log); !marked.ok()) gate_.Shut(marked);
  next_id_ += 2;
  return model;
}

absl::Status RocksCatalogue::Begin(const StoredModel& model, const FirstSnapshot& first,
                                   rocksdb::WriteBatch& batch) {
  const absl::StatusOr<StoredSnapshot> head = WriteFirst(snapshots_, model, first);
  if (head.ok()) return snapshots_.Finish(*head, batch);
  snapshots_.Abandon(model.id);
  return head.status();
}

absl::Status RocksCatalogue::DeleteModel(std::string_view name, ModelId id) {
  MutexLock lock(mu_);
  absl::StatusOr<StoredModel> model = FindModel(name);
  if (!model.ok()) return model.status();
  if (model->name.empty() || model->id != id) model = FindMissing(name, id);
  if (!model.ok()) return model.status();
  rocksdb::WriteBatch batch;
  batch.Delete(database_.models(), ModelKey(*model));
  log_.Delete(model->log, batch);
  snapshots_.Delete(model->id, batch);
  if (absl::Status health = gate_.health(); !health.ok()) return WritesRefused(health);
  if (const rocksdb::Status marked = marks_.Deleting(model->log); !marked.ok()) {
    return WriteError(marked);
  }
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
  if (const rocksdb::Status marked = marks_.Deleted(model->log); !marked.ok()) gate_.Shut(marked);
  log_.Deleted(model->log);
  snapshots_.Deleted(model->id);
  return absl::OkStatus();
}

absl::StatusOr<StoredModel> RocksCatalogue::FindMissing(std::string_view name, ModelId id) const {
  const absl::StatusOr<std::vector<StoredModel>> missing = ListMissing();
  if (!missing.ok()) return missing.status();
  for (const StoredModel& model : *missing) {
    if (model.name == name && model.id == id) return model;
  }
  return absl::NotFoundError(absl::StrCat("model ", std::string(name), " does not exist"));
}

absl::Status RocksCatalogue::AcceptLoss(std::string_view name) {
  MutexLock lock(mu_);
  const absl::StatusOr<std::vector<StoredModel>> present = ListPresent();
  if (!present.ok()) return present.status();
  const absl::StatusOr<std::vector<StoredModel>> missing = ListMissing();
  if (!missing.ok()) return missing.status();
  for (const StoredModel& model : *present) {
    if (!name.empty() && model.name != name) continue;
    const absl::StatusOr<std::uint64_t> end = log_.StoredEnd(model.log);
    if (!end.ok()) return end.status();
    const rocksdb::Status accepted = marks_.AcceptEnd(model.log, *end);
    if (!accepted.ok()) return WriteError(accepted);
  }
  for (const StoredModel& model : *missing) {
    if (!name.empty() && model.name != name) continue;
    const rocksdb::Status forgotten = marks_.Deleted(model.log);
    if (!forgotten.ok()) return WriteError(forgotten);
  }
  return absl::OkStatus();
}

}  // namespace prequel
