#include "server/engine/ledger_codec.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "server/engine/status_codec.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELL";
constexpr std::uint32_t kVersion = 1;

struct ProducerEntry {
  std::string id;
  std::int64_t next = 1;
  std::vector<PastAnswer> answers;
};

struct RequestEntry {
  std::string id;
  PastAnswer answer;
};

}  // namespace

template <class A>
void Archive(A& a, Field<A, Scores>& s) {
  a.Value("examples", s.examples);
  a.Value("nll", s.nll);
  for (auto* score : {&s.rmse, &s.mae, &s.crps, &s.coverage50, &s.coverage90, &s.coverage95,
                      &s.accuracy, &s.brier, &s.ece}) {
    a.Value("score", *score);
  }
}

template <class A>
void Archive(A& a, Field<A, StepReport>& s) {
  a.Value("rows", s.rows);
  a.Value("skipped_rows", s.skipped_rows);
  a.Value("passes", s.passes);
  a.Value("converged", s.converged);
  a.Value("residual", s.residual);
  a.Value("local_elbo", s.local_elbo);
  a.Value("kl", s.kl);
}

// An answer is a stored error (server/README.md), or what was learned.
template <class A>
void Archive(A& a, Field<A, PastAnswer>& s) {
  std::string error;
  if constexpr (!A::kReading) error = s.status.ok() ? "" : EncodeStatus(s.status);
  a.Value("error", error);
  a.Value("revision", s.revision);
  if (error.empty()) {
    a.Value("scores", s.learned.scores);
    a.Value("report", s.learned.report);
    return;
  }
  if constexpr (A::kReading) {
    if (!DecodeStatus(error, &s.status).ok()) a.Fail("error", "is no stored error");
  }
}

template <class A>
void Archive(A& a, Field<A, ProducerEntry>& s) {
  a.Value("id", s.id);
  a.Value("next", s.next);
  a.Value("answers", s.answers);
}

template <class A>
void Archive(A& a, Field<A, RequestEntry>& s) {
  a.Value("id", s.id);
  a.Value("answer", s.answer);
}

std::string EncodeLedger(const Ledger& ledger) {
  std::vector<ProducerEntry> producers;
  for (const auto& [id, producer] : ledger.producers()) {
    producers.push_back({id, producer.next, {producer.answers.begin(), producer.answers.end()}});
  }
  std::vector<RequestEntry> requests;
  for (const auto& [id, answer] : ledger.requests()) requests.push_back({id, answer});
  ArchiveWriter writer;
  writer.Value("producers", producers);
  writer.Value("requests", requests);
  return Seal(std::move(writer).Take(), kMagic, kVersion);
}

absl::StatusOr<Ledger> DecodeLedger(std::string_view bytes) {
  const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, kVersion);
  if (!body.ok()) return body.status();
  ArchiveReader reader(*body);
  std::vector<ProducerEntry> producers;
  std::vector<RequestEntry> requests;
  reader.Value("producers", producers);
  reader.Value("requests", requests);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  if (producers.size() > kMaxProducers || requests.size() > kMaxRequests) {
    return absl::DataLossError("ledger: has more entries than a model remembers");
  }
  Ledger ledger;
  for (ProducerEntry& entry : producers) {
    if (entry.next < 1 || entry.answers.size() > static_cast<std::size_t>(kAnswersPerProducer)) {
      return absl::DataLossError("ledger: a producer is out of range");
    }
    ledger.Restore(entry.id, {entry.next, {entry.answers.begin(), entry.answers.end()}});
  }
  for (RequestEntry& entry : requests) ledger.Restore(entry.id, std::move(entry.answer));
  return ledger;
}

}  // namespace prequel
