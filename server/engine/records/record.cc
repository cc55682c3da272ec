#include "server/engine/records/record.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// Calls `use` with the kind whose type is `type`, as a pointer to none; false when there is none.
template <class Use, std::size_t I = 0>
bool WithKind(std::uint8_t type, const Use& use) {
  if constexpr (I == std::variant_size_v<Record>) {
    return false;
  } else {
    using Kind = std::variant_alternative_t<I, Record>;
    if (type != Kind::kType) return WithKind<Use, I + 1>(type, use);
    use(static_cast<const Kind*>(nullptr));
    return true;
  }
}

}  // namespace

std::uint8_t TypeOf(const Record& record) {
  return std::visit([](const auto& r) { return std::uint8_t{r.kType}; }, record);
}

absl::Status Check(const Record& record, const Learner& learner, const ModelCost& cost,
                   const EngineOptions& limits) {
  return std::visit([&](const auto& r) { return r.Check(learner, cost, limits); }, record);
}

std::string Encode(Record& record, const Learner& learner) {
  return std::visit([&](auto& r) { return r.Encode(learner); }, record);
}

std::size_t MemoryOf(const Record& record) {
  return std::visit([](const auto& r) { return r.memory(); }, record);
}

Index RowsIn(const Record& record) {
  return std::visit([](const auto& r) { return r.rows(); }, record);
}

absl::StatusOr<Learned> Fold(Record& record, ModelFold& fold, const Origin& origin,
                             const Folding& folding) {
  return std::visit([&](auto& r) { return r.Fold(fold, origin, folding); }, record);
}

void Tell(const Record& record, const EngineObservers& observers, std::string_view model,
          EngineObserver::Duration duration, const absl::Status& status) {
  std::visit([&](const auto& r) { r.Tell(observers, model, duration, status); }, record);
}

Origin OriginOf(const LogRecord& record) {
  return {std::string(record.producer), static_cast<std::int64_t>(record.sequence)};
}

absl::Status AtRecord(const LogRecord& record, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("log ", NumberOf(record.log), ", record at offset ",
                                   record.offset, ": ", status.message()));
}

absl::StatusOr<Record> ReadRecord(const LogRecord& record, const Codec& codec,
                                  const Learner& learner) {
  std::optional<Record> read;
  absl::Status status;
  const bool known = WithKind(record.type, [&]<class Kind>(const Kind*) {
    absl::StatusOr<Kind> decoded = Kind::Decode(record.payload, codec, learner);
    status = decoded.status();
    if (decoded.ok()) read.emplace(*std::move(decoded));
  });
  if (!known) status = absl::DataLossError(absl::StrCat("unknown type ", record.type));
  if (!status.ok()) return AtRecord(record, status);
  return *std::move(read);
}

absl::Status FoldRecord(const LogRecord& record, const Codec& codec, ModelFold& fold,
                        Scratch& scratch) {
  absl::StatusOr<Record> read = ReadRecord(record, codec, *fold.learner());
  if (!read.ok()) return read.status();
  (void)Fold(*read, fold, OriginOf(record), {.scratch = scratch, .time_us = record.time_us});
  return absl::OkStatus();
}

RecordDescription Describe(const LogRecord& record) {
  RecordDescription description;
  WithKind(record.type, [&]<class Kind>(const Kind*) {
    description = {Kind::kName, Kind::Describe(record.payload)};
  });
  return description;
}

}  // namespace prequel
