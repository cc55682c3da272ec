#include "server/engine/record_fold.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/engine/status_codec.h"

namespace prequel {
namespace {

absl::StatusOr<Batch> DecodeMinibatch(const LogRecord& record, const Codec& codec,
                                      const Learner& learner) {
  absl::StatusOr<Batch> batch = codec.DecodeBatch(record.payload);
  if (!batch.ok()) return batch;
  if (absl::Status status = learner.CheckBatch(*batch); !status.ok()) return status;
  return batch;
}

absl::Status FoldMinibatch(const LogRecord& record, const Origin& origin, const Codec& codec,
                           LearnerFold& fold, Scratch& scratch) {
  const absl::StatusOr<Batch> batch = DecodeMinibatch(record, codec, *fold.learner());
  if (!batch.ok()) return batch.status();
  (void)fold.Step(origin, *batch, scratch);
  return absl::OkStatus();
}

absl::Status FoldRefusal(const LogRecord& record, const Origin& origin, LearnerFold& fold) {
  absl::Status refusal;
  if (absl::Status status = DecodeStatus(record.payload, &refusal); !status.ok()) return status;
  fold.Refuse(origin, refusal);
  return absl::OkStatus();
}

}  // namespace

absl::Status AtRecord(const LogRecord& record, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("log ", NumberOf(record.log), ", record at offset ",
                                   record.offset, ": ", status.message()));
}

absl::Status CheckRecord(const LogRecord& record, const Codec& codec, const Learner& learner) {
  absl::Status status, refusal;
  switch (record.type) {
    case RecordType::kMinibatch:
      status = DecodeMinibatch(record, codec, learner).status();
      break;
    case RecordType::kRefusal:
      status = DecodeStatus(record.payload, &refusal);
      break;
    case RecordType::kRollback:
      status = learner.DecodeState(record.payload).status();
      break;
  }
  return status.ok() ? status : AtRecord(record, status);
}

absl::Status FoldRecord(const LogRecord& record, const Codec& codec, LearnerFold& fold,
                        Scratch& scratch) {
  const Origin origin{std::string(record.producer), static_cast<std::int64_t>(record.sequence)};
  absl::Status status;
  switch (record.type) {
    case RecordType::kMinibatch:
      status = FoldMinibatch(record, origin, codec, fold, scratch);
      break;
    case RecordType::kRefusal:
      status = FoldRefusal(record, origin, fold);
      break;
    case RecordType::kRollback:
      status = fold.Rollback(record.payload);
      break;
  }
  return status.ok() ? status : AtRecord(record, status);
}

}  // namespace prequel
