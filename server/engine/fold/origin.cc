#include "server/engine/fold/origin.h"

#include <optional>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/storage/log.h"

namespace prequel {
namespace {

// The payload is the number in decimal.
constexpr char kPayload[] = "prequel/expected_sequence";

static_assert(kMaxIdBytes <= kMaxProducerBytes, "the log must be able to keep them");

}  // namespace

absl::Status CheckOrigin(const Origin& origin) {
  if (origin.id.size() > kMaxIdBytes) {
    return FieldError(
        origin.numbered() ? "producer" : "request_id",
        absl::StrCat("has ", origin.id.size(), " bytes; at most ", kMaxIdBytes, " are taken"));
  }
  if (origin.sequence < 0) return FieldError("sequence", "must not be negative");
  if (origin.anonymous() && origin.numbered()) {
    return FieldError("producer", "must be named with a sequence number");
  }
  return absl::OkStatus();
}

absl::Status SequenceError(const Origin& origin, std::int64_t expected) {
  const std::string found = absl::StrCat("minibatch ", origin.sequence, " of this producer ");
  absl::Status status = absl::OutOfRangeError(
      origin.sequence >= expected
          ? absl::StrCat(found, "leaves a gap: the next one is ", expected)
          : absl::StrCat(found, "was taken before and its answer is no longer remembered; the ",
                         "next one is ", expected));
  status.SetPayload(kPayload, absl::Cord(absl::StrCat(expected)));
  return status;
}

std::int64_t ExpectedSequence(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  std::int64_t expected = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &expected)) return 0;
  return expected;
}

}  // namespace prequel
