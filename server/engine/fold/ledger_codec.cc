#include "server/engine/fold/ledger_codec.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/archive/archive.h"
#include "core/scores/score_table.h"
#include "core/scores/scores.h"
#include "server/engine/fold/status_codec.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELL";
constexpr std::uint32_t kVersion = 1;

// One of an answer's scores: its name is one of the ledger's, which stand before all answers.
struct StoredScore {
  std::uint8_t name = 0;
  double value = 0;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("name", s.name);
    a.Value("value", s.value);
  }
};

}  // namespace

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

namespace {

// An answer is a stored error (server/formats.md), or what was learned.
struct StoredAnswer {
  std::string error;
  std::int64_t revision = 0;
  double examples = 0;
  std::vector<StoredScore> scores;
  StepReport report;
  std::int64_t refused_rows = 0;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("error", s.error);
    a.Value("revision", s.revision);
    if (!s.error.empty()) return;
    a.Value("examples", s.examples);
    a.Value("scores", s.scores);
    a.Value("report", s.report);
    a.Value("refused_rows", s.refused_rows);
  }
};

struct ProducerEntry {
  std::string id;
  std::int64_t next = 1;
  std::vector<StoredAnswer> answers;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("id", s.id);
    a.Value("next", s.next);
    a.Value("answers", s.answers);
  }
};

struct RequestEntry {
  std::string id;
  StoredAnswer answer;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("id", s.id);
    a.Value("answer", s.answer);
  }
};

struct Entries {
  std::vector<ProducerEntry> producers;
  std::vector<RequestEntry> requests;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("producers", s.producers);
    a.Value("requests", s.requests);
  }
};

// The names of a ledger's scores, each where its first answer needs it: the same names for the same
// ledger.
class ScoreNames {
 public:
  ScoreNames() = default;
  explicit ScoreNames(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<std::string>& names() const { return names_; }

  void Store(const PastAnswer& answer, StoredAnswer& stored) {
    stored.revision = answer.revision;
    if (!answer.status.ok()) {
      stored.error = EncodeStatus(answer.status);
      return;
    }
    stored.examples = answer.learned.scores.examples;
    for (const NamedScore& score : answer.learned.scores) {
      stored.scores.push_back({PlaceOf(score.name), score.value});
    }
    stored.report = answer.learned.report;
    stored.refused_rows = answer.learned.refused.count;
  }

  // Restore is to be called in the order of the bytes.
  absl::StatusOr<PastAnswer> Restore(const StoredAnswer& stored) {
    PastAnswer answer{.revision = stored.revision};
    if (!stored.error.empty()) {
      absl::Status status = DecodeStatus(stored.error, &answer.status);
      if (!status.ok()) return status;
      return answer;
    }
    answer.learned.report = stored.report;
    answer.learned.refused.count = stored.refused_rows;
    if (stored.refused_rows < 0) return absl::DataLossError("ledger: a count is negative");
    Scores& scores = answer.learned.scores;
    scores.examples = stored.examples;
    if (stored.scores.size() > Scores::kMost) {
      return absl::DataLossError("ledger: an answer has more scores than there are");
    }
    for (const StoredScore& score : stored.scores) {
      if (score.name > used_ || score.name >= names_.size()) {
        return absl::DataLossError("ledger: a score has a name out of range");
      }
      if (score.name == used_) ++used_;
      const std::string_view name = ScoreName(names_[score.name]);
      if (name.empty()) {
        return absl::DataLossError(
            absl::StrCat("ledger: no score is called \"", names_[score.name], "\""));
      }
      if (scores.Has(name)) {
        return absl::DataLossError(
            absl::StrCat("ledger: an answer has \"", names_[score.name], "\" twice"));
      }
      scores.Add(name, score.value);
    }
    return answer;
  }
  bool all_used() const { return used_ == names_.size(); }

 private:
  std::uint8_t PlaceOf(std::string_view name) {
    std::size_t place = 0;
    while (place < names_.size() && names_[place] != name) ++place;
    if (place == names_.size()) names_.emplace_back(name);
    return static_cast<std::uint8_t>(place);
  }

  std::vector<std::string> names_;
  std::size_t used_ = 0;  // of them, so far
};

constexpr std::int64_t kMaxNext = std::int64_t{1} << 62;  // far from where counting on overflows

bool IsId(const std::string& id) { return !id.empty() && id.size() <= kMaxIdBytes; }

bool IsSound(const ProducerEntry& entry) {
  const auto answers = static_cast<std::int64_t>(entry.answers.size());
  return IsId(entry.id) && answers <= kAnswersPerProducer && answers < entry.next &&
         entry.next <= kMaxNext;
}

// Every ledger is bounded and has each id once.
absl::StatusOr<Ledger> FromEntries(const Entries& entries, ScoreNames& names) {
  if (entries.producers.size() > kMaxProducers || entries.requests.size() > kMaxRequests) {
    return absl::DataLossError("ledger: has more entries than a model remembers");
  }
  Ledger ledger;
  for (const ProducerEntry& entry : entries.producers) {
    if (!IsSound(entry)) return absl::DataLossError("ledger: a producer is out of range");
    Ledger::Answers answers;
    for (const StoredAnswer& stored : entry.answers) {
      absl::StatusOr<PastAnswer> answer = names.Restore(stored);
      if (!answer.ok()) return answer.status();
      answers.push_back(std::make_shared<const PastAnswer>(*std::move(answer)));
    }
    ledger.Restore(entry.id, {entry.next}, std::move(answers));
  }
  for (const RequestEntry& entry : entries.requests) {
    if (!IsId(entry.id)) return absl::DataLossError("ledger: a request is out of range");
    absl::StatusOr<PastAnswer> answer = names.Restore(entry.answer);
    if (!answer.ok()) return answer.status();
    ledger.Restore(entry.id, *std::move(answer));
  }
  if (ledger.producers().size() != entries.producers.size() ||
      ledger.requests().size() != entries.requests.size()) {
    return absl::DataLossError("ledger: has an id twice");
  }
  return ledger;
}

}  // namespace

std::string EncodeLedger(const Ledger& ledger) {
  ScoreNames scores;
  Entries entries;
  for (const auto& [id, producer] : ledger.producers()) {
    ProducerEntry& entry = entries.producers.emplace_back(ProducerEntry{id, producer.next, {}});
    for (const Ledger::SharedAnswer& answer : ledger.AnswersTo(id)) {
      scores.Store(*answer, entry.answers.emplace_back());
    }
  }
  for (const auto& [id, answer] : ledger.requests()) {
    scores.Store(*answer, entries.requests.emplace_back(RequestEntry{id, {}}).answer);
  }
  ArchiveWriter writer;
  writer.Value("names", scores.names());
  writer.Value("entries", entries);
  return Seal(std::move(writer).Take(), kMagic, kVersion);
}

absl::StatusOr<Ledger> DecodeLedger(std::string_view bytes) {
  const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, kVersion);
  if (!body.ok()) return body.status();
  ArchiveReader reader(*body);
  std::vector<std::string> names;
  Entries entries;
  reader.Value("names", names);
  reader.Value("entries", entries);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  ScoreNames scores(std::move(names));
  absl::StatusOr<Ledger> ledger = FromEntries(entries, scores);
  if (ledger.ok() && !scores.all_used()) {
    return absl::DataLossError("ledger: has a name that no score has");
  }
  return ledger;
}

}  // namespace prequel
