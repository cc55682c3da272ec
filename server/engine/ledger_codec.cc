#include "server/engine/ledger_codec.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/archive.h"
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
  // In the order of version 1, each but nll led by whether it is there.
  double nll = 0;
  if constexpr (!A::kReading) nll = s.Has("nll") ? s["nll"] : 0;
  a.Value("examples", s.examples);
  a.Value("nll", nll);
  if constexpr (A::kReading) s.Add("nll", nll);
  for (const std::string_view name : {"rmse", "mae", "crps", "coverage50", "coverage90",
                                      "coverage95", "accuracy", "brier", "ece"}) {
    std::optional<double> value;
    if constexpr (!A::kReading) {
      if (s.Has(name)) value = s[name];
    }
    a.Value("score", value);
    if constexpr (A::kReading) {
      if (value.has_value()) s.Add(name, *value);
    }
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

namespace {

constexpr std::int64_t kMaxNext = std::int64_t{1} << 62;  // far from where counting on overflows

bool IsId(const std::string& id) { return !id.empty() && id.size() <= kMaxIdBytes; }

bool IsSound(const ProducerEntry& entry) {
  const auto answers = static_cast<std::int64_t>(entry.answers.size());
  return IsId(entry.id) && answers <= kAnswersPerProducer && answers < entry.next &&
         entry.next <= kMaxNext;
}

// Every ledger is bounded and has each id once.
absl::StatusOr<Ledger> FromEntries(std::vector<ProducerEntry> producers,
                                   std::vector<RequestEntry> requests) {
  if (producers.size() > kMaxProducers || requests.size() > kMaxRequests) {
    return absl::DataLossError("ledger: has more entries than a model remembers");
  }
  const std::size_t counts[] = {producers.size(), requests.size()};
  Ledger ledger;
  for (ProducerEntry& entry : producers) {
    if (!IsSound(entry)) return absl::DataLossError("ledger: a producer is out of range");
    ledger.Restore(entry.id, {entry.next}, {entry.answers.begin(), entry.answers.end()});
  }
  for (RequestEntry& entry : requests) {
    if (!IsId(entry.id)) return absl::DataLossError("ledger: a request is out of range");
    ledger.Restore(entry.id, std::move(entry.answer));
  }
  if (ledger.producers().size() != counts[0] || ledger.requests().size() != counts[1]) {
    return absl::DataLossError("ledger: has an id twice");
  }
  return ledger;
}

}  // namespace

std::string EncodeLedger(const Ledger& ledger) {
  std::vector<ProducerEntry> producers;
  for (const auto& [id, producer] : ledger.producers()) {
    const Ledger::Answers& answers = ledger.AnswersTo(id);
    producers.push_back({id, producer.next, {answers.begin(), answers.end()}});
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
  return FromEntries(std::move(producers), std::move(requests));
}

}  // namespace prequel
