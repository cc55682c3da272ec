#include "tests/server/engine/reader_run.h"

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/archive/stable_hash.h"
#include "server/engine/engine.h"
#include "server/sync/mutex.h"
#include "tests/server/engine/fake_world.h"

namespace prequel {
namespace {

constexpr int kInFlight = 4;

class Run {
 public:
  Run(Store& store, const ReaderOptions& options)
      : store_(store), options_(options), query_(MakeBatch(5, 2, 3)) {
    query_.targets.resize(0, 0);
    engine_options_.workers = 2;
    engine_options_.snapshots.every_batches = 16;
    engine_options_.snapshots.keep = 2;
  }

  ReaderRun Make() {
    engine_ =
        Engine::Create(
            engine_options_,
            {store_.catalogue(), store_.log(), store_.snapshots(), codec_, clock_, {&observer_}})
            .value();
    learner_ = engine_->CreateModel("m", LinearConfig(2)).value().learner;
    std::vector<std::thread> writers, others;
    for (int i = 0; i < options_.writers; ++i) writers.emplace_back([this, i] { WriteAll(i); });
    for (int i = 0; i < options_.readers; ++i) others.emplace_back([this, i] { ReadOn(i); });
    others.emplace_back([this] { RollBackOn(); });
    others.emplace_back([this] { ForkOn(); });
    for (std::thread& writer : writers) writer.join();
    writing_ = false;
    for (std::thread& other : others) other.join();
    engine_.reset();
    MutexLock lock(mu_);
    return {learner_, query_, writes_, reads_, problem_};
  }

 private:
  using Random = std::mt19937_64;
  Random RandomOf(int thread) const {
    return Random(options_.seed * 1000 + static_cast<std::uint64_t>(thread));
  }
  static std::int64_t Draw(Random& random, std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  }

  std::int64_t Tick() { return ticks_.fetch_add(1); }
  void Note(const Write& write) {
    MutexLock lock(mu_);
    writes_.push_back(write);
  }
  void Note(const Read& read) {
    MutexLock lock(mu_);
    reads_.push_back(read);
  }
  void Fail(const char* call, const absl::Status& status) {
    MutexLock lock(mu_);
    if (problem_.empty()) problem_ = absl::StrCat(call, ": ", status.ToString());
  }

  void WriteAll(int producer) {
    std::vector<std::future<void>> under_way;
    for (std::int64_t sequence = 1; sequence <= options_.minibatches; ++sequence) {
      if (under_way.size() == kInFlight) {
        under_way.front().get();
        under_way.erase(under_way.begin());
      }
      under_way.push_back(Send(producer, sequence));
    }
    for (std::future<void>& write : under_way) write.get();
  }

  std::future<void> Send(int producer, std::int64_t sequence) {
    Batch batch = BatchOf(producer, sequence);
    std::string payload = TestCodec::Encode(batch);
    Delivery delivery{.record = Minibatch{std::move(batch), std::move(payload)},
                      .origin = {absl::StrCat("p", producer), sequence}};
    auto answered = std::make_shared<std::promise<void>>();
    std::future<void> future = answered->get_future();
    Write write{.at = {Tick()}, .producer = producer, .sequence = sequence};
    delivery.done = [this, write, answered](const absl::StatusOr<LearnOutcome>& outcome) mutable {
      write.at.returned = Tick();
      if (outcome.ok()) {
        write.revision = outcome->revision;
        Note(write);
        ReadState("the producer's");  // at once: it reads what it wrote
      } else {
        Fail("learn", outcome.status());
      }
      answered->set_value();
    };
    engine_->Submit("m", std::move(delivery));
    return future;
  }

  void ReadOn(int reader) {
    Random random = RandomOf(reader);
    while (writing_) {
      switch (Draw(random, 4)) {
        case 0:
          ReadState("GetPublished");
          break;
        case 1:
          ReadModel();
          break;
        case 2:
          Predict(std::nullopt);
          break;
        default:
          ReadPast(random);
      }
    }
  }

  void ReadState(const char* call) {
    Read read{.at = {Tick()}, .call = call};
    const absl::StatusOr<Published> published = engine_->GetPublished("m");
    read.at.returned = Tick();
    if (!published.ok()) return Fail(call, published.status());
    read.revision = published->revision;
    read.digest = DigestOf(*learner_, *published->state);
    Note(read);
  }

  void ReadModel() {
    Read read{.at = {Tick()}, .call = "GetModel"};
    const absl::StatusOr<ModelInfo> info = engine_->GetModel("m");
    read.at.returned = Tick();
    if (!info.ok()) return Fail("GetModel", info.status());
    read.revision = info->published.revision;
    read.digest = DigestOf(*learner_, *info->published.state);
    Note(read);
  }

  void Predict(std::optional<std::int64_t> revision) {
    Read read{.at = {Tick()}, .call = "Predict", .predictive = true, .newest = !revision};
    const absl::StatusOr<Question> question =
        engine_->Ask("m", PredictOptions(), {.count = query_.rows()});
    if (!question.ok()) return Fail("Ask", question.status());
    const absl::StatusOr<PredictOutcome> outcome = engine_->Answer(*question, query_, revision);
    read.at.returned = Tick();
    if (revision && absl::IsOutOfRange(outcome.status())) return;  // truncated meanwhile
    if (!outcome.ok()) return Fail("Predict", outcome.status());
    read.revision = outcome->revision;
    read.digest = DigestOf(outcome->predictions);
    if (revision.value_or(read.revision) != read.revision) {
      return Fail("Predict", absl::InternalError("answers at another revision than was asked for"));
    }
    Note(read);
  }

  // A revision that is kept: between the oldest and the newest that are known of.
  std::optional<std::int64_t> DrawRevision(Random& random) {
    const absl::StatusOr<Published> published = engine_->GetPublished("m");
    const absl::StatusOr<Revisions> revisions = engine_->ListRevisions("m");
    if (!published.ok() || !revisions.ok()) {
      Fail("ListRevisions", published.ok() ? revisions.status() : published.status());
      return std::nullopt;
    }
    if (revisions->oldest > published->revision) return std::nullopt;
    return revisions->oldest + Draw(random, published->revision - revisions->oldest + 1);
  }

  void ReadPast(Random& random) {
    if (const auto revision = DrawRevision(random)) Predict(revision);
  }

  void RollBackOn() {
    Random random = RandomOf(1000);
    while (writing_) {
      std::this_thread::sleep_for(std::chrono::microseconds(200 + Draw(random, 2000)));
      const std::optional<std::int64_t> revision = DrawRevision(random);
      if (!revision) continue;
      Write write{.at = {Tick()}, .returned_to = *revision};
      const absl::StatusOr<ModelInfo> info = engine_->Rollback("m", *revision);
      write.at.returned = Tick();
      if (absl::IsOutOfRange(info.status())) continue;  // truncated meanwhile
      if (!info.ok()) return Fail("Rollback", info.status());
      write.seen = info->published.revision;
      Note(write);
    }
  }

  void ForkOn() {
    Random random = RandomOf(1001);
    for (int i = 0; writing_; ++i) {
      std::optional<std::int64_t> revision;
      if (Draw(random, 2) == 0) revision = DrawRevision(random);
      const std::string name = absl::StrCat("fork-", i);
      Read read{.at = {Tick()}, .call = "Fork", .newest = !revision};
      const absl::StatusOr<ModelInfo> info = engine_->Fork("m", revision, name, nullptr);
      read.at.returned = Tick();
      if (absl::IsOutOfRange(info.status())) continue;  // truncated meanwhile
      if (!info.ok()) return Fail("Fork", info.status());
      read.revision = info->published.revision;
      read.digest = DigestOf(*learner_, *info->published.state);
      Note(read);
      if (absl::Status status = engine_->DeleteModel(name); !status.ok()) Fail("Delete", status);
    }
  }

  Store& store_;
  const ReaderOptions options_;
  Batch query_;
  EngineOptions engine_options_;
  const TestCodec codec_{};
  const ManualClock clock_;
  EngineObserver observer_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const Learner> learner_;

  std::atomic<std::int64_t> ticks_ = 0;
  std::atomic<bool> writing_ = true;
  Mutex mu_;
  std::vector<Write> writes_ ABSL_GUARDED_BY(mu_);
  std::vector<Read> reads_ ABSL_GUARDED_BY(mu_);
  std::string problem_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

Batch BatchOf(int producer, std::int64_t sequence) {
  return MakeBatch(static_cast<int>(31 * sequence) + 7 * producer, 2, 2);
}

std::uint64_t DigestOf(const Learner& learner, const LearnerState& state) {
  return StableHash(learner.EncodeState(state));
}

std::uint64_t DigestOf(const Answer& answer) {
  std::string bytes;
  for (const Output& output : answer.outputs) {
    bytes.append(reinterpret_cast<const char*>(output.values.data()),
                 static_cast<std::size_t>(output.values.size()) * sizeof(double));
  }
  return StableHash(bytes);
}

ReaderRun RunReaders(Store& store, const ReaderOptions& options) {
  return Run(store, options).Make();
}

}  // namespace prequel
