#include "server/engine/commit/log_tail.h"

namespace prequel {

LogTail::LogTail(const Ledger& ledger) : producers_(kMaxProducers), requests_(kMaxRequests) {
  for (const auto& [id, producer] : ledger.producers()) producers_.Touch(id) = producer.next;
  for (const auto& [id, answer] : ledger.requests()) requests_.Touch(id);
}

LogTail::Verdict LogTail::Take(const Origin& origin) {
  if (origin.anonymous()) return Verdict::kNew;
  if (origin.numbered()) {
    const std::int64_t next = Next(origin.id);
    if (origin.sequence < next) return Verdict::kRepeat;
    if (origin.sequence > next) return Verdict::kGap;
  } else if (Known(origin.id)) {
    return Verdict::kRepeat;
  }
  taken_.push_back(origin);
  next_[{origin.numbered(), origin.id}] = origin.sequence + 1;
  return Verdict::kNew;
}

void LogTail::Settle(bool logged) {
  if (logged) {
    for (const Origin& origin : taken_) {
      if (origin.numbered()) {
        producers_.Touch(origin.id) = origin.sequence + 1;
      } else {
        requests_.Touch(origin.id);
      }
    }
  }
  taken_.clear();
  next_.clear();
}

std::int64_t LogTail::Next(std::string_view producer) const {
  const auto taken = next_.find({true, std::string(producer)});
  if (taken != next_.end()) return taken->second;
  const std::int64_t* next = producers_.Find(producer);
  return next == nullptr ? 1 : *next;
}

bool LogTail::Known(std::string_view request) const {
  return next_.contains({false, std::string(request)}) || requests_.Find(request) != nullptr;
}

}  // namespace prequel
