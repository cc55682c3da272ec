#include "server/engine/fold/ledger.h"

#include <cstddef>
#include <utility>

#include "server/engine/fold/ledger_codec.h"

namespace prequel {
namespace {

absl::StatusOr<PastAnswer> Given(const PastAnswer& answer) {
  if (!answer.status.ok()) return answer.status;
  return answer;
}

}  // namespace

void Ledger::Note(const FoldedRecord& record) {
  if (record.origin.anonymous()) return;
  PastAnswer past{.status = record.answer.status(), .revision = record.revision};
  if (record.answer.ok()) past.learned = *record.answer;
  past.learned.refused.first.clear();  // many answers are remembered, so each is small
  past.learned.refused.first.shrink_to_fit();
  past.learned.unseen_categories = 0;  // no snapshot keeps it
  Record(record.origin, std::move(past));
}

std::string Ledger::Encode() const { return EncodeLedger(*this); }

absl::StatusOr<Ledger> Ledger::Decode(std::string_view bytes) { return DecodeLedger(bytes); }

void Ledger::Record(const Origin& origin, PastAnswer answer) {
  if (origin.anonymous()) return;
  if (!origin.numbered()) {
    requests_.Touch(origin.id) = std::make_shared<const PastAnswer>(std::move(answer));
    return;
  }
  Producer& producer = producers_.Touch(origin.id);
  Answers& answers = answers_.Touch(origin.id);
  num_answers_ -= answers.size();
  if (origin.sequence != producer.next) answers.clear();
  producer.next = origin.sequence + 1;
  answers.push_back(std::make_shared<const PastAnswer>(std::move(answer)));
  if (answers.size() > static_cast<std::size_t>(kAnswersPerProducer)) answers.pop_front();
  num_answers_ += answers.size();
  BoundAnswers();
}

void Ledger::Restore(std::string_view producer, Producer entry, Answers answers) {
  producers_.Touch(producer) = entry;
  if (answers.empty()) return;
  Answers& restored = answers_.Touch(producer);
  num_answers_ += answers.size() - restored.size();
  restored = std::move(answers);
  BoundAnswers();
}

// BoundAnswers drops the answers to forgotten producers and, while there are too many, those to
// whoever was logged longest ago. REQUIRES: the newest producer has one.
void Ledger::BoundAnswers() {
  while (num_answers_ > kMaxAnswers || producers_.Find(answers_.oldest().first) == nullptr) {
    Answers& oldest = answers_.oldest().second;
    oldest.pop_front();
    --num_answers_;
    if (oldest.empty()) answers_.DropOldest();
  }
}

const Ledger::Answers& Ledger::AnswersTo(std::string_view producer) const {
  static const Answers& none = *new Answers();
  const Answers* answers = answers_.Find(producer);
  return answers == nullptr ? none : *answers;
}

absl::StatusOr<PastAnswer> Ledger::AnswerTo(const Origin& origin) const {
  if (!origin.numbered()) {
    const SharedAnswer* answer = requests_.Find(origin.id);
    if (answer != nullptr) return Given(**answer);
    return absl::OutOfRangeError("the answer to this request is no longer remembered");
  }
  const Producer* producer = producers_.Find(origin.id);
  if (producer == nullptr) return SequenceError(origin, 1);
  const std::int64_t back = producer->next - origin.sequence;
  const Answers& answers = AnswersTo(origin.id);
  const auto remembered = static_cast<std::int64_t>(answers.size());
  if (back < 1 || back > remembered) return SequenceError(origin, producer->next);
  return Given(*answers[static_cast<std::size_t>(remembered - back)]);
}

}  // namespace prequel
