// A ledger to look at, and the answers it remembers.
#pragma once

#include <cstdint>

#include "core/config/field_error.h"
#include "server/engine/fold/ledger.h"

namespace prequel {

inline PastAnswer LearnedAnswer(std::int64_t revision) {
  PastAnswer answer;
  answer.revision = revision;
  answer.learned.scores.examples = 8;
  answer.learned.scores.Add("nll", 0.5);
  answer.learned.scores.Add("rmse", 0.25);
  answer.learned.report.rows = 8;
  answer.learned.report.passes = 3;
  answer.learned.report.kl = 0.125;
  return answer;
}

inline PastAnswer RefusedAnswer() {
  return {.status = FieldError("batch.inputs", "is odd"), .revision = 1};
}

// Two answers to "p", one to "q" and one to the request "id".
inline Ledger ExampleLedger() {
  Ledger ledger;
  ledger.Record({"p", 1}, LearnedAnswer(1));
  ledger.Record({"p", 2}, RefusedAnswer());
  ledger.Record({"q", 1}, LearnedAnswer(2));
  ledger.Record({"id", 0}, LearnedAnswer(3));
  return ledger;
}

}  // namespace prequel
