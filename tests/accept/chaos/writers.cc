#include "tests/accept/chaos/writers.h"

#include <random>

#include "absl/strings/str_cat.h"
#include "client/call_error.h"
#include "tests/end_to_end/crash_stream.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;

constexpr char kPrefix[] = "honest-";

// Trying again is what one does: the server was not there, was busy, or does not know.
bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status) || client::DetailsOf(status).reason == "OUTCOME_UNKNOWN";
}

}  // namespace

std::string ProducerName(int producer) { return producer == 0 ? "stream" : "calls"; }
std::string HonestModel(int model) { return absl::StrCat(kPrefix, model); }
bool IsHonestModel(const std::string& id) { return id.rfind(kPrefix, 0) == 0; }

// On one thread.
class Writers::Writer {
 public:
  Writer(Writers& all, int model, int producer, std::uint64_t seed,
         const client::ClientOptions& options)
      : all_(all), model_(model), producer_(producer), client_(options), random_(seed) {}

  void Run() {
    while (all_.turnstile_.Pass()) {
      if (failed_) {
        std::this_thread::sleep_for(kLongestPause);  // until somebody ends it all
      } else if (producer_ == 0) {
        Stream();
      } else {
        ++sent_;
        all_.ledger_.Sending(model_);
        Settle();
        Rest();
      }
    }
  }

 private:
  static constexpr milliseconds kLongestPause{200};

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  // Half of the times not at all.
  void Rest() { std::this_thread::sleep_for(milliseconds(std::max(0, Draw(-50, 50)))); }
  v1::Batch Minibatch(std::int64_t sequence) const {
    return CrashBatch(model_, producer_, sequence);
  }
  void Fail(const std::string& problem) {
    failed_ = true;
    all_.Fail(
        absl::StrCat(HonestModel(model_), ", producer ", ProducerName(producer_), ": ", problem));
  }
  void Note(std::int64_t sequence, const v1::LearnResponse& answer) {
    all_.ledger_.Acknowledged(model_, answer.revision(), {producer_, sequence}, answer.repeated());
    answered_ = sequence;
  }

  // Some hundreds of minibatches in a stream, which is then finished, or left in the middle.
  void Stream() {
    client::LearnStreamOptions options{.max_in_flight = 64, .producer = ProducerName(producer_)};
    options.retry.longest = milliseconds(500);
    options.retry.give_up = std::chrono::minutes(3);
    auto stream =
        client_.OpenLearnStream(HonestModel(model_), options, [this](const client::LearnAck& ack) {
          if (!ack.result.ok()) return Fail(absl::StrCat("refused: ", Said(ack.result.status())));
          Note(ack.sequence, *ack.result);
        });
    const absl::StatusOr<std::int64_t> next = stream->NextSequence();
    if (!next.ok() && MayPass(next.status())) return std::this_thread::sleep_for(kLongestPause);
    if (!next.ok()) return Fail(absl::StrCat("no stream: ", Said(next.status())));
    if (*next != answered_ + 1) {
      return Fail(absl::StrCat("is to go on with ", *next, " after answers up to ", answered_));
    }
    absl::Status status;
    for (int left = Draw(50, 500); left > 0 && status.ok() && !failed_ && IsWanted(); --left) {
      ++sent_;
      all_.ledger_.Sending(model_);
      status = stream->Send(Minibatch(sent_));
      Rest();
    }
    if (status.ok() && Draw(0, 3) == 0) {
      ++all_.left_;
    } else if (status.ok()) {
      status = stream->Finish();
    }
    if (!status.ok()) ++all_.ended_;
    if (absl::IsCancelled(status)) {
      ++all_.cancelled_;
    } else if (!status.ok() && !MayPass(status)) {
      Fail(absl::StrCat("the stream ended: ", Said(status)));
    }
    stream.reset();
    if (!failed_) Settle();
  }

  // Sends again, one by one, whatever was sent and not answered.
  void Settle() {
    while (answered_ < sent_ && !failed_ && !all_.turnstile_.IsEnded()) {
      const absl::StatusOr<v1::LearnResponse> answer = client_.Learn(
          HonestModel(model_), Minibatch(answered_ + 1), {ProducerName(producer_), answered_ + 1});
      if (answer.ok()) {
        Note(answered_ + 1, *answer);
      } else if (MayPass(answer.status()) || absl::IsCancelled(answer.status())) {
        if (absl::IsCancelled(answer.status())) ++all_.cancelled_;
        std::this_thread::sleep_for(milliseconds(Draw(20, 200)));
      } else {
        Fail(absl::StrCat("Learn ", answered_ + 1, ": ", Said(answer.status())));
      }
    }
  }

  bool IsWanted() const { return all_.turnstile_.IsOpen(); }
  static std::string Said(const absl::Status& status) { return status.ToString(); }

  Writers& all_;
  const int model_, producer_;
  client::Client client_;
  std::mt19937_64 random_;
  std::int64_t sent_ = 0, answered_ = 0;  // all numbers up to these
  bool failed_ = false;
};

Writers::Writers(int models, std::uint64_t seed, const OptionsOf& options, Ledger& ledger)
    : ledger_(ledger), turnstile_(models * kProducers) {
  for (int model = 0; model < models; ++model) {
    for (int producer = 0; producer < kProducers; ++producer) {
      threads_.emplace_back([this, model, producer, own = options(model), own_seed = seed++] {
        Writer(*this, model, producer, own_seed, own).Run();
      });
    }
  }
}

Writers::~Writers() {
  turnstile_.End();
  for (std::thread& thread : threads_) thread.join();
}

std::string Writers::problem() const {
  MutexLock lock(mu_);
  return problem_;
}

void Writers::Fail(const std::string& problem) {
  MutexLock lock(mu_);
  if (problem_.empty()) problem_ = problem;
}

}  // namespace prequel::accept
