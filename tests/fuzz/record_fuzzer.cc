// The bytes on disk: log records, models, the store's numbers, snapshot heads and chunks.
//
// The input is a kind and a value; the checksum, which no fuzzer can guess, is put right unless
// the kind says otherwise. What decodes encodes to the same bytes; in depth, a record is folded.
#include <memory>
#include <string>
#include <string_view>

#include "server/engine/fold/model_fold.h"
#include "server/engine/records/record.h"
#include "server/storage/bytes.h"
#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/snapshot_record.h"
#include "server/wire_codec.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

constexpr LogId kLog{3};
constexpr ModelId kModel{4};
constexpr std::uint64_t kOffset = 5;
constexpr std::uint8_t kAsItIs = 0x80;  // in the kind: the checksum is part of the value

void RequireLost(const absl::Status& status) {
  Require(absl::IsDataLoss(status) && !status.message().empty(), "damage is DATA_LOSS",
          status.ToString());
  RequireTold(status);
}

// Replay: the record is folded, or the error leaves the state as it was.
void Fold(const LogRecord& record, const std::shared_ptr<const Learner>& learner) {
  static Scratch& scratch = *new Scratch();
  ModelFold fold(learner);
  const std::string before = learner->EncodeState(*fold.current().state);
  const absl::Status status = FoldRecord(record, WireCodec(), fold, scratch);
  const std::int64_t revision = fold.current().revision;
  Require(revision == 0 || (status.ok() && revision == 1), "one record is one revision at most");
  const std::string after = learner->EncodeState(*fold.current().state);
  Require(revision > 0 || after == before, "an error leaves the state as it was");
  Require(learner->DecodeState(after).ok(), "what was folded can be read again",
          learner->DecodeState(after).status().ToString());
}

void Record(const std::string& value, std::size_t choice) {
  const absl::StatusOr<LogRecord> record = DecodeRecord(kLog, kOffset, value);
  if (!record.ok()) return RequireLost(record.status());
  const RecordFrame frame = FrameRecord(*record);
  Require(frame.head + std::string(record->payload) + frame.tail == value,
          "a record encodes to its bytes");
  if (InDepth(value)) return Fold(*record, LearnerOf(choice));
  const absl::StatusOr<Batch> batch = WireCodec().DecodeBatch(record->payload);
  if (!batch.ok()) RequireTold(batch.status());
}

void Model(const std::string& key, const std::string& value) {
  const absl::StatusOr<StoredModel> model = DecodeModel(key, value);
  if (!model.ok()) return RequireLost(model.status());
  Require(ModelKey(*model) == key, "a model is under its key");
  if (!model->problem.ok()) return RequireLost(model->problem);
  Require(EncodeModel(*model) == value, "a model encodes to its bytes");
}

void SnapshotHead(const std::string& key, const std::string& value) {
  const StoredSnapshot snapshot = DecodeSnapshotHead(key, value);
  Require(snapshot.model == kModel && snapshot.next_offset == kOffset, "a head is under its key");
  if (!snapshot.problem.ok()) return RequireLost(snapshot.problem);
  Require(EncodeSnapshotHead(snapshot) == value, "a head encodes to its bytes");
}

void SnapshotChunk(const std::string& key, const std::string& value) {
  const StoredSnapshot snapshot{.model = kModel, .next_offset = kOffset};
  const absl::StatusOr<std::string_view> chunk = DecodeSnapshotChunk(snapshot, 0, value);
  if (!chunk.ok()) return RequireLost(chunk.status());
  Require(EncodeSnapshotChunk(key, *chunk) == value, "a chunk encodes to its bytes");
}

void Numbers(const std::string& value) {
  if (const auto format = DecodeFormat(value); !format.ok()) RequireLost(format.status());
  const absl::StatusOr<std::uint64_t> next = DecodeNextId(value);
  if (!next.ok()) return RequireLost(next.status());
  Require(EncodeNextId(*next) == value, "an id encodes to its bytes");
}

void Run(FuzzInput input) {
  const std::uint8_t kind = input.Byte();
  const std::size_t choice = input.Byte();
  const auto value_under = [&](std::string_view key) {
    std::string value(input.Rest());
    if ((kind & kAsItIs) == 0) AppendCrc(key, &value);
    return value;
  };
  const std::string snapshot = SnapshotKey(kModel, kOffset);
  const std::string chunk = SnapshotChunkKey(kModel, kOffset, 0);
  std::string model;
  switch (kind % 5) {
    case 0:
      return Record(value_under(LogKey(kLog, kOffset)), choice);
    case 1:
      model = input.Part();
      return Model(model, value_under(model));
    case 2:
      return SnapshotHead(snapshot, value_under(snapshot));
    case 3:
      return SnapshotChunk(chunk, value_under(chunk));
    default:
      return Numbers(value_under(kNextIdKey));
  }
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
