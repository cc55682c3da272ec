#include "server/engine/fold/ledger_codec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
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

// The scores of version 1 after nll, in its order: each is there or is not.
constexpr std::string_view kScoresV1[] = {
    "rmse", "mae", "crps", "coverage50", "coverage90", "coverage95", "accuracy", "brier", "ece"};

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

// An answer is a stored error (server/README.md), or what was learned.
struct StoredAnswer {
  static constexpr std::uint32_t kVersion = 3;

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
    if constexpr (std::remove_const_t<T>::kVersion > 2) a.Value("refused_rows", s.refused_rows);
  }
};

// One without refused rows.
struct StoredAnswerV2 : StoredAnswer {
  static constexpr std::uint32_t kVersion = 2;
};

struct StoredAnswerV1 {
  std::string error;
  std::int64_t revision = 0;
  double examples = 0;
  double nll = 0;
  std::array<std::optional<double>, std::size(kScoresV1)> scores;
  StepReport report;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("error", s.error);
    a.Value("revision", s.revision);
    if (!s.error.empty()) return;
    a.Value("examples", s.examples);
    a.Value("nll", s.nll);
    for (std::size_t i = 0; i < std::size(kScoresV1); ++i) a.Value(kScoresV1[i], s.scores[i]);
    a.Value("report", s.report);
  }
};

template <class Answer>
struct ProducerEntry {
  std::string id;
  std::int64_t next = 1;
  std::vector<Answer> answers;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("id", s.id);
    a.Value("next", s.next);
    a.Value("answers", s.answers);
  }
};

template <class Answer>
struct RequestEntry {
  std::string id;
  Answer answer;

  template <class A, class T>
  static void Fields(A& a, T& s) {
    a.Value("id", s.id);
    a.Value("answer", s.answer);
  }
};

template <class Answer>
struct Entries {
  std::vector<ProducerEntry<Answer>> producers;
  std::vector<RequestEntry<Answer>> requests;

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

  // To be called in the order of the bytes.
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

absl::StatusOr<PastAnswer> RestoreV1(const StoredAnswerV1& stored) {
  PastAnswer answer{.revision = stored.revision};
  if (stored.error.empty()) {
    answer.learned.report = stored.report;
    Scores& scores = answer.learned.scores;
    scores.examples = stored.examples;
    if (stored.examples > 0) scores.Add(ScoreName("nll"), stored.nll);  // else it says nothing
    for (std::size_t i = 0; i < std::size(kScoresV1); ++i) {
      if (stored.scores[i]) scores.Add(ScoreName(kScoresV1[i]), *stored.scores[i]);
    }
    return answer;
  }
  absl::Status status = DecodeStatus(stored.error, &answer.status);
  if (!status.ok()) return status;
  return answer;
}

constexpr std::int64_t kMaxNext = std::int64_t{1} << 62;  // far from where counting on overflows

bool IsId(const std::string& id) { return !id.empty() && id.size() <= kMaxIdBytes; }

template <class Answer>
bool IsSound(const ProducerEntry<Answer>& entry) {
  const auto answers = static_cast<std::int64_t>(entry.answers.size());
  return IsId(entry.id) && answers <= kAnswersPerProducer && answers < entry.next &&
         entry.next <= kMaxNext;
}

// Every ledger is bounded and has each id once. `restore` makes an answer of what is stored.
template <class Answer, class Restore>
absl::StatusOr<Ledger> FromEntries(const Entries<Answer>& entries, const Restore& restore) {
  if (entries.producers.size() > kMaxProducers || entries.requests.size() > kMaxRequests) {
    return absl::DataLossError("ledger: has more entries than a model remembers");
  }
  Ledger ledger;
  for (const ProducerEntry<Answer>& entry : entries.producers) {
    if (!IsSound(entry)) return absl::DataLossError("ledger: a producer is out of range");
    Ledger::Answers answers;
    for (const Answer& stored : entry.answers) {
      absl::StatusOr<PastAnswer> answer = restore(stored);
      if (!answer.ok()) return answer.status();
      answers.push_back(*std::move(answer));
    }
    ledger.Restore(entry.id, {entry.next}, std::move(answers));
  }
  for (const RequestEntry<Answer>& entry : entries.requests) {
    if (!IsId(entry.id)) return absl::DataLossError("ledger: a request is out of range");
    absl::StatusOr<PastAnswer> answer = restore(entry.answer);
    if (!answer.ok()) return answer.status();
    ledger.Restore(entry.id, *std::move(answer));
  }
  if (ledger.producers().size() != entries.producers.size() ||
      ledger.requests().size() != entries.requests.size()) {
    return absl::DataLossError("ledger: has an id twice");
  }
  return ledger;
}

bool HasRefusedRows(const PastAnswer& answer) { return answer.learned.refused.count > 0; }

bool HasRefusedRows(const Ledger& ledger) {
  for (const auto& [id, producer] : ledger.producers()) {
    const Ledger::Answers& answers = ledger.AnswersTo(id);
    const auto has = [](const PastAnswer& answer) { return HasRefusedRows(answer); };
    if (std::any_of(answers.begin(), answers.end(), has)) return true;
  }
  const auto& requests = ledger.requests();
  return std::any_of(requests.begin(), requests.end(),
                     [](const auto& request) { return HasRefusedRows(request.second); });
}

// Of version 2 or 3.
template <class Answer>
absl::StatusOr<Ledger> DecodeBody(std::string_view body) {
  ArchiveReader reader(body);
  std::vector<std::string> names;
  Entries<Answer> entries;
  reader.Value("names", names);
  reader.Value("entries", entries);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  ScoreNames scores(std::move(names));
  absl::StatusOr<Ledger> ledger =
      FromEntries(entries, [&scores](const StoredAnswer& a) { return scores.Restore(a); });
  if (ledger.ok() && !scores.all_used()) {
    return absl::DataLossError("ledger: has a name that no score has");
  }
  if (ledger.ok() && Answer::kVersion > 2 && !HasRefusedRows(*ledger)) {
    return absl::DataLossError("ledger: of version 3 without refused rows");
  }
  return ledger;
}

absl::StatusOr<Ledger> DecodeBodyV1(std::string_view body) {
  ArchiveReader reader(body);
  Entries<StoredAnswerV1> entries;
  reader.Value("entries", entries);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  return FromEntries(entries, RestoreV1);
}

template <class Answer>
std::string Encode(const Ledger& ledger) {
  ScoreNames scores;
  Entries<Answer> entries;
  for (const auto& [id, producer] : ledger.producers()) {
    ProducerEntry<Answer>& entry =
        entries.producers.emplace_back(ProducerEntry<Answer>{id, producer.next, {}});
    for (const PastAnswer& answer : ledger.AnswersTo(id)) {
      scores.Store(answer, entry.answers.emplace_back());
    }
  }
  for (const auto& [id, answer] : ledger.requests()) {
    scores.Store(answer, entries.requests.emplace_back(RequestEntry<Answer>{id, {}}).answer);
  }
  ArchiveWriter writer;
  writer.Value("names", scores.names());
  writer.Value("entries", entries);
  return Seal(std::move(writer).Take(), kMagic, Answer::kVersion);
}

}  // namespace

// A server of before can read on where no row was ever refused.
std::string EncodeLedger(const Ledger& ledger) {
  return HasRefusedRows(ledger) ? Encode<StoredAnswer>(ledger) : Encode<StoredAnswerV2>(ledger);
}

absl::StatusOr<Ledger> DecodeLedger(std::string_view bytes) {
  const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, StoredAnswer::kVersion);
  if (body.ok()) return DecodeBody<StoredAnswer>(*body);
  if (!absl::IsFailedPrecondition(body.status())) return body.status();  // damage
  const absl::StatusOr<std::string_view> body_v2 = Open(bytes, kMagic, 2);
  if (body_v2.ok()) return DecodeBody<StoredAnswerV2>(*body_v2);
  if (!absl::IsFailedPrecondition(body_v2.status())) return body_v2.status();
  const absl::StatusOr<std::string_view> body_v1 = Open(bytes, kMagic, 1);
  if (body_v1.ok()) return DecodeBodyV1(*body_v1);
  return absl::IsFailedPrecondition(body_v1.status()) ? body.status() : body_v1.status();
}

}  // namespace prequel
