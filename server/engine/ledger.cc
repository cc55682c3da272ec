#include "server/engine/ledger.h"

#include <cstddef>
#include <utility>

namespace prequel {
namespace {

absl::StatusOr<LearnOutcome> OutcomeOf(const PastAnswer& answer) {
  if (!answer.status.ok()) return answer.status;
  LearnOutcome outcome;
  outcome.revision = answer.revision;
  outcome.learned = answer.learned;
  outcome.repeated = true;
  return outcome;
}

}  // namespace

void Ledger::Record(const Origin& origin, PastAnswer answer) {
  if (origin.anonymous()) return;
  if (!origin.numbered()) {
    requests_.Touch(origin.id) = std::move(answer);
    return;
  }
  Producer& producer = producers_.Touch(origin.id);
  if (origin.sequence != producer.next) producer.answers.clear();
  producer.next = origin.sequence + 1;
  producer.answers.push_back(std::move(answer));
  if (producer.answers.size() > static_cast<std::size_t>(kAnswersPerProducer)) {
    producer.answers.pop_front();
  }
}

absl::StatusOr<LearnOutcome> Ledger::AnswerTo(const Origin& origin) const {
  if (!origin.numbered()) {
    const PastAnswer* answer = requests_.Find(origin.id);
    if (answer != nullptr) return OutcomeOf(*answer);
    return absl::OutOfRangeError("the answer to this request is no longer remembered");
  }
  const Producer* producer = producers_.Find(origin.id);
  if (producer == nullptr) return SequenceError(origin, 1);
  const std::int64_t back = producer->next - origin.sequence;
  const auto remembered = static_cast<std::int64_t>(producer->answers.size());
  if (back < 1 || back > remembered) return SequenceError(origin, producer->next);
  return OutcomeOf(producer->answers[static_cast<std::size_t>(remembered - back)]);
}

}  // namespace prequel
