#include "tests/accept/chaos/audit.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>

namespace prequel::accept {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kLongest(120);
constexpr std::chrono::milliseconds kPause(50);

}  // namespace

Audit::Audit(int models, client::Client& server, Ledger& ledger)
    : server_(server), ledger_(ledger) {
  for (int m = 0; m < models; ++m) accounts_.push_back(std::make_unique<Account>(m));
}

bool Audit::Reach(const std::function<absl::Status()>& call) {
  const auto until = steady_clock::now() + kLongest;
  absl::Status status = call();
  while (!status.ok() && steady_clock::now() < until) {
    std::this_thread::sleep_for(kPause);
    status = call();
  }
  if (!status.ok()) findings_.problem = status.ToString();
  return status.ok();
}

void Audit::Bound() {
  for (int model = 0; model < static_cast<int>(accounts_.size()); ++model) {
    const std::int64_t acknowledged = ledger_.Of(model).acknowledged;
    std::int64_t revision = 0;
    if (!Reach([&] {
          const auto evaluation = server_.GetEvaluation(HonestModel(model));
          if (evaluation.ok()) revision = evaluation->revision();
          return evaluation.status();
        })) {
      return;
    }
    findings_.lost += std::max<std::int64_t>(0, acknowledged - revision);
    findings_.doubled += std::max<std::int64_t>(0, revision - ledger_.Of(model).sent);
    ++findings_.bounded;
  }
}

void Audit::Compare() {
  for (int model = 0; model < static_cast<int>(accounts_.size()); ++model) {
    Advance(model);
    v1::GetEvaluationResponse evaluation;
    if (!Reach([&] {
          auto answer = server_.GetEvaluation(HonestModel(model));
          if (!answer.ok()) return answer.status();
          evaluation = *std::move(answer);
          return absl::OkStatus();
        })) {
      return;
    }
    CompareNumbers(model, evaluation.revision());
    CompareBits(model, evaluation);
    ++findings_.compared;
  }
}

// Revisions are 1, 2, 3, … without a gap, and those of a producer in the order of its numbers.
void Audit::Advance(int model) {
  Account& account = *accounts_[static_cast<std::size_t>(model)];
  for (const auto& [revision, entry] : ledger_.Take(model)) {
    // In between are minibatches of which nobody was told: all have been answered, so they are
    // others once more.
    findings_.doubled += revision - account.revision - 1;
    account.revision = revision;
    std::int64_t& last = account.last[static_cast<std::size_t>(entry.producer)];
    if (entry.sequence > last + 1) findings_.lost += entry.sequence - last - 1;
    if (entry.sequence <= last) ++findings_.doubled;
    last = entry.sequence;
    account.fold.Learn(CrashBatch(model, entry.producer, entry.sequence));
  }
}

void Audit::CompareNumbers(int model, std::int64_t revision) {
  const Account& account = *accounts_[static_cast<std::size_t>(model)];
  const auto compare = [this, model](const std::string& what, std::int64_t there,
                                     std::int64_t told) {
    if (there == told) return;
    std::fprintf(stderr, "%s, %s: %lld, and its writers were told %lld\n",
                 HonestModel(model).c_str(), what.c_str(), static_cast<long long>(there),
                 static_cast<long long>(told));
    findings_.lost += std::max<std::int64_t>(0, told - there);
    findings_.doubled += std::max<std::int64_t>(0, there - told);
  };
  compare("revision", revision, account.revision);
  for (int producer = 0; producer < kProducers; ++producer) {
    std::int64_t next = 0;
    if (!Reach([&] {
          const auto answer = server_.NextSequence(HonestModel(model), ProducerName(producer));
          if (answer.ok()) next = *answer;
          return answer.status();
        })) {
      return;
    }
    compare("minibatches of " + ProducerName(producer), next - 1,
            account.last[static_cast<std::size_t>(producer)]);
  }
}

void Audit::CompareBits(int model, const v1::GetEvaluationResponse& evaluation) {
  Account& account = *accounts_[static_cast<std::size_t>(model)];
  const v1::Batch query = CrashQuery();
  v1::PredictResponse predicted;
  std::string file;
  const bool reached =
      Reach([&] {
        auto answer = server_.Predict(HonestModel(model), query, CrashPredictOptions());
        if (!answer.ok()) return answer.status();
        predicted = *std::move(answer);
        return absl::OkStatus();
      }) &&
      Reach([&] {
        file.clear();
        return server_.ExportModel(HonestModel(model), std::nullopt,
                                   [&file](const std::string& piece) { file += piece; });
      });
  if (!reached) return;
  if (account.fold.Predict(query) == predicted.predictions().SerializeAsString() &&
      account.fold.Evaluation() == evaluation.SerializeAsString() && account.fold.IsIn(file)) {
    return;
  }
  std::fprintf(stderr, "%s: not the state of the plain fold of %lld minibatches\n",
               HonestModel(model).c_str(), static_cast<long long>(account.revision));
  ++findings_.wrong;
}

}  // namespace prequel::accept
