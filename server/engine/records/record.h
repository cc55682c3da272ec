// The closed set of records that a log can hold. Adding one is one new file and one word in the
// variant. Replay, learning and time travel all fold them here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/records/minibatch.h"
#include "server/engine/records/record_type.h"
#include "server/engine/records/refusal.h"
#include "server/engine/records/rollback.h"
#include "server/storage/log.h"

namespace prequel {

template <RecordType... Rs>
using RecordOf = std::variant<Rs...>;

using Record = RecordOf<Minibatch, Refusal, Rollback>;

// Each of these functions calls the alternative's own (record_type.h).
std::uint8_t TypeOf(const Record& record);
absl::Status Check(const Record& record, const Learner& learner, const ModelCost& cost,
                   const EngineOptions& limits);
std::string Encode(Record& record, const Learner& learner);
std::size_t MemoryOf(const Record& record);
Index RowsIn(const Record& record);
absl::StatusOr<Learned> Fold(Record& record, ModelFold& fold, const Origin& origin,
                             const Folding& folding);
void Tell(const Record& record, const EngineObservers& observers, std::string_view model,
          EngineObserver::Duration duration, const absl::Status& status);

Origin OriginOf(const LogRecord& record);

// AtRecord is an error of `record`, whose message then says where the record stands.
absl::Status AtRecord(const LogRecord& record, const absl::Status& status);

// ReadRecord reads what a log's record holds. The error says where it stands and why it cannot be
// one of this learner's model; DATA_LOSS for a type that is unknown.
absl::StatusOr<Record> ReadRecord(const LogRecord& record, const Codec& codec,
                                  const Learner& learner);

// FoldRecord reads `record` and folds it in. The error is ReadRecord's: an update that fails is OK,
// for it failed when it was pushed, and was answered with its error. REQUIRES: record.offset is
// fold.current().next_offset.
absl::Status FoldRecord(const LogRecord& record, const Codec& codec, ModelFold& fold,
                        Scratch& scratch);

// A record described for people: the kind's name, and what the payload says.
struct RecordDescription {
  std::string_view kind = "unknown";
  RecordDetails details;
};
RecordDescription Describe(const LogRecord& record);

}  // namespace prequel
