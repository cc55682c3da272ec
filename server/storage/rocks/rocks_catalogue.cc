#include "server/storage/rocks/rocks_catalogue.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/model_record.h"

namespace prequel {

absl::Status RocksCatalogue::Load() {
  const auto load = [this](std::string_view key, std::string* value) {
    return database_.db().Get({}, database_.meta(), ToSlice(key), value);
  };
  std::string value;
  rocksdb::Status status = load(kNextIdKey, &value);
  const bool is_v1 = status.IsNotFound();  // opened for reading alone
  if (is_v1) status = load(kNextIdKeyV1, &value);
  if (!status.ok()) return ReadError(status);
  const absl::StatusOr<std::uint64_t> next = is_v1 ? DecodeNextIdV1(value) : DecodeNextId(value);
  if (!next.ok()) return next.status();
  MutexLock lock(mu_);
  next_id_ = *next;
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
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
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
  const absl::StatusOr<StoredModel> model = FindModel(name);
  if (!model.ok()) return model.status();
  if (model->name.empty() || model->id != id) {
    return absl::NotFoundError(absl::StrCat("model ", std::string(name), " does not exist"));
  }
  rocksdb::WriteBatch batch;
  batch.Delete(database_.models(), ModelKey(*model));
  log_.Delete(model->log, batch);
  snapshots_.Delete(model->id, batch);
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
  log_.Deleted(model->log);
  snapshots_.Deleted(model->id);
  return absl::OkStatus();
}

absl::Status RocksCatalogue::RewriteModels(std::span<const StoredModel> models) {
  MutexLock lock(mu_);
  rocksdb::WriteBatch batch;
  for (const StoredModel& model : models) {
    batch.Delete(database_.models(), ModelKey(model));
    StoredModel current = model;
    current.version = kModelVersion;
    batch.Put(database_.models(), ModelKey(current), EncodeModel(current));
  }
  return gate_.Write(batch);
}

}  // namespace prequel
