// Who sent what: the part of a fold that tells a repeated minibatch from a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/fold/fold_part.h"
#include "server/engine/fold/origin.h"
#include "server/engine/fold/recency_table.h"

namespace prequel {

// What one minibatch was answered, predictions and the names of refused rows left out.
struct PastAnswer {
  absl::Status status;        // of the update, or why its content was refused
  std::int64_t revision = 0;  // after it
  Learned learned;            // when status is OK
};

// A Ledger is a part of a fold (fold_part.h). One thread at a time.
class Ledger {
 public:
  static constexpr std::string_view kName = "ledger";

  struct Producer {
    std::int64_t next = 1;
  };
  // A copy of the ledger shares the answers, which never change.
  using SharedAnswer = std::shared_ptr<const PastAnswer>;
  using Answers = std::deque<SharedAnswer>;  // to next - size() … next - 1

  Ledger()
      : producers_(kMaxProducers),
        answers_(std::numeric_limits<std::size_t>::max()),
        requests_(kMaxRequests) {}

  // Note records the answer of `record`, unless nobody sent it.
  void Note(const FoldedRecord& record);
  // Record: a record of `origin` stands in the log and was answered `answer`. The log is the
  // authority: a number that does not follow the last one starts anew.
  void Record(const Origin& origin, PastAnswer answer);

  // The bytes are those of ledger_codec.h.
  std::string Encode() const;
  static absl::StatusOr<Ledger> Decode(std::string_view bytes);

  // AnswerTo is the answer that `origin` was given, an error if it was one; OUT_OF_RANGE when it is
  // no longer remembered, or is yet to come.
  absl::StatusOr<PastAnswer> AnswerTo(const Origin& origin) const;

  // Restore is for decoding: it is called with what was logged least recently first.
  void Restore(std::string_view producer, Producer entry, Answers answers);
  void Restore(std::string_view request, PastAnswer answer) {
    requests_.Touch(request) = std::make_shared<const PastAnswer>(std::move(answer));
  }

  // Least recently logged first.
  const RecencyTable<Producer>::Entries& producers() const { return producers_.entries(); }
  // The answers that are remembered: fewer, or no answers, of a producer that many others have
  // followed.
  const Answers& AnswersTo(std::string_view producer) const;
  const RecencyTable<SharedAnswer>::Entries& requests() const { return requests_.entries(); }

 private:
  void BoundAnswers();

  RecencyTable<Producer> producers_;
  // answers_ has the order of producers_, and no empty entry. It forgets nothing by itself:
  // BoundAnswers makes it forget, and counts.
  RecencyTable<Answers> answers_;
  std::size_t num_answers_ = 0;  // in answers_
  RecencyTable<SharedAnswer> requests_;
};

}  // namespace prequel
