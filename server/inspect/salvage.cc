#include "server/inspect/salvage.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/learner/learner.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/fold/stored_config.h"
#include "server/engine/history/capture.h"
#include "server/engine/records/record.h"

namespace prequel {
namespace {

// One model, from the newest snapshot that can be read on.
class ModelSalvage {
 public:
  ModelSalvage(RocksStore& store, const Codec& codec, const StoredModel& model,
               std::uint64_t acknowledged)
      : store_(store), codec_(codec), model_(model) {
    result_.model = model.name;
    result_.acknowledged = acknowledged;
  }

  absl::StatusOr<SalvagedModel> Run() {
    result_.problem = model_.problem;
    if (result_.problem.ok()) result_.problem = Restore();
    if (!result_.problem.ok()) {
      const absl::Status deleted = store_.catalogue().DeleteModel(model_.name, model_.id);
      if (!deleted.ok()) return deleted;
      return std::move(result_);
    }
    Follow();
    absl::Status kept = KeepWhatLeadsHere();
    if (!kept.ok()) return kept;
    return std::move(result_);
  }

 private:
  bool Note(const absl::Status& status) {
    if (!status.ok()) result_.damage.emplace_back(status.message());
    return status.ok();
  }

  absl::Status Restore() {
    auto learner = ReadConfig(model_.config, codec_);
    if (!learner.ok()) return learner.status();
    const auto stored = store_.snapshots().ListSnapshots(model_.id);
    if (!stored.ok()) return stored.status();
    for (const StoredSnapshot& snapshot : *stored) {
      absl::StatusOr<FoldPoint> point =
          ReadCapture(store_.snapshots(), snapshot, model_.log, **learner);
      if (!Note(point.status())) continue;
      good_.push_back(snapshot.next_offset);
      fold_.emplace(*learner, *std::move(point));
    }
    if (fold_.has_value()) return absl::OkStatus();
    const absl::StatusOr<std::uint64_t> first = store_.log().FirstOffset(model_.log);
    if (!first.ok()) return first.status();
    if (model_.from_snapshot || *first > 0) {
      return absl::DataLossError(
          "none of its snapshots can be read, and its log's beginning is gone");
    }
    fold_.emplace(*std::move(learner));
    return absl::OkStatus();
  }

  // Folds as far as the records lead.
  void Follow() {
    base_ = fold_->current().next_offset;
    Scratch scratch;
    const absl::Status read = VisitLog(
        store_.log(), model_.log, base_,
        [&](const LogRecord& record) { return FoldRecord(record, codec_, *fold_, scratch); });
    if (!absl::IsOutOfRange(read)) Note(read);  // it ends before the snapshot, which holds the rest
    result_.end = fold_->current().next_offset;
    result_.revision = fold_->current().revision;
  }

  // Records and snapshots before the fold's beginning stay as far back as there is no gap.
  absl::Status KeepWhatLeadsHere() {
    const absl::StatusOr<std::uint64_t> first = store_.log().FirstOffset(model_.log);
    if (!first.ok()) return first.status();
    std::uint64_t begin = std::min(*first, base_);
    while (begin < base_) {
      std::uint64_t sound = begin;
      const absl::Status read =
          VisitLog(store_.log(), model_.log, begin, [&](const LogRecord& record) {
            sound = record.offset + 1;
            return sound < base_ ? absl::OkStatus() : absl::CancelledError();
          });
      if (sound >= base_) break;
      if (!absl::IsOutOfRange(read)) Note(read);
      begin = sound + 1;  // behind the gap
    }
    result_.begin = std::min(begin, base_);
    std::erase_if(good_, [&](std::uint64_t offset) { return offset < result_.begin; });
    result_.snapshots = static_cast<std::int64_t>(good_.size());
    return store_.Keep(model_, result_.begin, result_.end, good_);
  }

  RocksStore& store_;
  const Codec& codec_;
  const StoredModel& model_;
  SalvagedModel result_;
  std::vector<std::uint64_t> good_;  // offsets of snapshots that can be read, ascending
  std::optional<ModelFold> fold_;
  std::uint64_t base_ = 0;  // where it begins
};

}  // namespace

absl::StatusOr<std::vector<SalvagedModel>> SalvageModels(RocksStore& store, const Codec& codec) {
  const absl::StatusOr<std::vector<StoredModel>> listed = store.catalogue().ListModels();
  if (!listed.ok()) return listed.status();
  std::map<LogId, std::uint64_t> acknowledged;
  for (const StoredModel& model : *listed) {
    acknowledged[model.log] = store.AcknowledgedEnd(model.log);
  }
  // Once the loss is accepted, only what cannot be read at all is a problem of a model's.
  if (absl::Status status = store.AcceptLoss(""); !status.ok()) return status;
  const absl::StatusOr<std::vector<StoredModel>> there = store.catalogue().ListModels();
  if (!there.ok()) return there.status();
  std::vector<SalvagedModel> salvaged;
  for (const StoredModel& model : *listed) {
    const auto it = std::ranges::find(*there, model.log, &StoredModel::log);
    if (it == there->end()) {
      salvaged.push_back({.model = model.name, .problem = model.problem});
      continue;
    }
    absl::StatusOr<SalvagedModel> result =
        ModelSalvage(store, codec, *it, acknowledged[model.log]).Run();
    if (!result.ok()) return result.status();
    salvaged.push_back(*std::move(result));
  }
  if (absl::Status status = store.AcceptLoss(""); !status.ok()) return status;
  return salvaged;
}

}  // namespace prequel
