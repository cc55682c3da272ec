#include "tests/server/engine/simulation.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/engine.h"
#include "tests/server/engine/countdown.h"
#include "tests/server/engine/fake_world.h"
#include "tests/server/engine/simulated_events.h"
#include "tests/server/storage/memory_store.h"

namespace prequel {
namespace {

using Outcome = absl::StatusOr<LearnOutcome>;

constexpr int kProducers = 2;
constexpr int kSteps = 24;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    options_.workers = 1 + Draw(2);
    options_.snapshots.every_batches = 1 + Draw(12);
    options_.snapshots.keep = 1 + Draw(3);
    options_.snapshots.full_history = Draw(3) == 0;
  }

  Simulated Run() {
    Start();
    if (!Failed()) Check(engine_->CreateModel("m", LinearConfig(2)).status(), "create");
    for (int step = 0; step < kSteps && !Failed(); ++step) Step();
    if (!Failed()) Restart(Draw(2) == 0);
    if (!Failed()) CompareState("m", events_.size());
    Stop();
    return result_;
  }

 private:
  int Draw(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool Failed() const { return !result_.problem.empty(); }
  void Fail(const std::string& problem) {
    if (!Failed()) result_.problem = problem;
  }
  void Check(const absl::Status& status, const char* what) {
    if (!status.ok()) Fail(absl::StrCat(what, ": ", status.ToString()));
  }

  void Start() {
    store_ = MemoryStore::Open(disk_).value();
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(
        options_,
        {store_->catalogue(), store_->log(), store_->snapshots(), codec_, clock_, {&observer_}});
    Check(engine.status(), "start");
    if (Failed()) return;
    engine_ = *std::move(engine);
    engine_->AwaitReady();
    reading_ = true;
    reader_ = std::thread([this] { Read(); });
  }

  void Stop() {
    reading_ = false;
    if (reader_.joinable()) reader_.join();
    engine_.reset();
    store_.reset();
  }

  void Restart(bool cleanly) {
    ++result_.restarts;
    if (cleanly) engine_->Shutdown(clock_.In(10));
    Stop();
    Start();
    if (Failed()) return;
    const absl::StatusOr<ModelInfo> info = engine_->GetModel("m");
    Check(info.status(), "model");
    if (Failed()) return;
    Check(info->problem, "replay");
    if (info->published.revision < acknowledged_) Fail("an acknowledged revision is lost");
    Settle();
  }

  // What a reader sees while one server lives.
  void Read() {
    std::int64_t last = 0;
    while (reading_) {
      const absl::StatusOr<Published> published = engine_->GetPublished("m");
      if (published.ok()) {
        if (published->revision < last || published->state->revision != published->revision) {
          torn_ = true;
        }
        last = published->revision;
        ++reads_;
      }
      std::this_thread::yield();
    }
  }

  std::future<Outcome> Submit(Delivery delivery) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    std::future<Outcome> future = promise->get_future();
    delivery.done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
    engine_->Submit("m", std::move(delivery));
    return future;
  }
  std::future<Outcome> Send(int producer, std::int64_t sequence) {
    Batch batch = SimulatedBatch(producer, sequence);
    std::string payload = TestCodec::Encode(batch);
    return Submit({.record = Minibatch{std::move(batch), std::move(payload)},
                   .origin = {Name(producer), sequence}});
  }
  std::future<absl::StatusOr<std::int64_t>> AskNext(int producer) {
    auto promise = std::make_shared<std::promise<absl::StatusOr<std::int64_t>>>();
    auto future = promise->get_future();
    engine_->AskNextSequence(
        "m", Name(producer), TimePoint::max(),
        [promise](const absl::StatusOr<std::int64_t>& next) { promise->set_value(next); });
    return future;
  }
  static std::string Name(int producer) { return absl::StrCat("p", producer); }

  void Step() {
    switch (Draw(14)) {
      case 0:
        return Crash();
      case 1:
        return Restart(Draw(2) == 0);
      case 2:
        return TakeSnapshot();
      case 3:
        return Rollback();
      case 4:
        return Fork();
      case 5:
        return Repeat();
      case 6:
        return Leap();
      case 7:
        return FillDisk();
      case 8:
        return FailSync();
      default:
        return Burst(1 + Draw(4));
    }
  }

  // The answer to minibatch `sequence`, which is the first one to be known of it.
  void Note(int producer, std::int64_t sequence, const Outcome& outcome) {
    if (IsNonsense(sequence)) {
      if (!absl::IsInvalidArgument(outcome.status())) {
        return Fail(absl::StrCat("nonsense was answered ", outcome.status().ToString()));
      }
      ++result_.refusals;
    } else if (!outcome.ok()) {
      return Fail(absl::StrCat("number ", sequence, " was answered ", outcome.status().ToString()));
    } else {
      ++result_.learned;
      if (!events_.emplace(outcome->revision, SimulatedEvent{producer, sequence}).second) {
        return Fail(absl::StrCat("revision ", outcome->revision, " was given twice"));
      }
      acknowledged_ = std::max(acknowledged_, outcome->revision);
    }
    next_[static_cast<std::size_t>(producer)] = sequence + 1;
  }

  // Whether the server is still sure of itself.
  static bool IsAnswer(const Outcome& outcome) {
    return outcome.ok() || absl::IsInvalidArgument(outcome.status());
  }

  // Several at once from one producer, some of them sent twice.
  void Burst(int count) {
    const int producer = Draw(kProducers);
    const std::int64_t first = next_[static_cast<std::size_t>(producer)];
    std::vector<std::pair<std::int64_t, std::future<Outcome>>> answers;
    for (std::int64_t i = first; i < first + count; ++i) {
      answers.emplace_back(i, Send(producer, i));
      if (Draw(3) == 0) answers.emplace_back(i, Send(producer, i));
    }
    for (auto& [sequence, future] : answers) {
      const Outcome outcome = future.get();
      const bool known = sequence < next_[static_cast<std::size_t>(producer)];
      if (!IsAnswer(outcome)) {
        if (!failing_) Fail(absl::StrCat("unexpected: ", outcome.status().ToString()));
      } else if (known) {
        ExpectRepeat(producer, sequence, outcome);
      } else {
        Note(producer, sequence, outcome);
      }
    }
  }

  void ExpectRepeat(int producer, std::int64_t sequence, const Outcome& outcome) {
    ++result_.repeats;
    if (IsNonsense(sequence)) {
      if (!absl::IsInvalidArgument(outcome.status())) Fail("a refusal was not repeated");
      return;
    }
    if (!outcome.ok()) return Fail(outcome.status().ToString());
    const auto it = events_.find(outcome->revision);
    if (!outcome->repeated || it == events_.end() || it->second.producer != producer ||
        it->second.sequence != sequence) {
      Fail(absl::StrCat("a repeat of number ", sequence, " was answered otherwise"));
    }
  }

  void Repeat() {
    const int producer = Draw(kProducers);
    const std::int64_t next = next_[static_cast<std::size_t>(producer)];
    if (next == 1) return;
    const std::int64_t sequence = 1 + Draw(static_cast<int>(next - 1));
    ExpectRepeat(producer, sequence, Send(producer, sequence).get());
  }

  void Leap() {
    const int producer = Draw(kProducers);
    const std::int64_t next = next_[static_cast<std::size_t>(producer)];
    const Outcome outcome = Send(producer, next + 1 + Draw(3)).get();
    ++result_.gaps;
    if (ExpectedSequence(outcome.status()) != next) Fail("a gap was not refused");
  }

  // `what` happens at one of the next writes, in the midst of a burst and perhaps a snapshot:
  // before it, or when it is on disk but not answered.
  void BurstUntil(bool written, const std::function<void()>& what) {
    const auto countdown = std::make_shared<Countdown>(1 + Draw(4), what);
    const auto tick = [countdown] { countdown->Tick(); };
    written ? disk_->OnWritten(tick) : disk_->OnWrite(tick);
    failing_ = true;
    Burst(1 + Draw(6));
    if (Draw(2) == 0) TakeSnapshot();
    disk_->OnWrite(nullptr);
    disk_->OnWritten(nullptr);
    countdown->CallOff();  // a snapshot that is being stored may be in the midst of a write
  }

  // Power fails.
  void Crash() {
    ++result_.crashes;
    BurstUntil(Draw(2) == 0, [this] { disk_->Crash(); });
    Restart(false);
    failing_ = false;
  }

  // A sync fails, and then power: any number of the appends that were not synced is left.
  void FailSync() {
    ++result_.failed_syncs;
    BurstUntil(false, [this] { disk_->FailWrites(MemoryDisk::Failure::kSync); });
    disk_->Crash(static_cast<std::size_t>(Draw(4)));
    Restart(false);
    failing_ = false;
  }

  // The disk is full, until a restart or without one.
  void FillDisk() {
    ++result_.full_disks;
    BurstUntil(false, [this] { disk_->FailWrites(MemoryDisk::Failure::kFull); });
    disk_->FailWrites(MemoryDisk::Failure::kNone);
    const std::vector<std::int64_t> known = next_;
    if (Draw(3) == 0) {
      Restart(Draw(2) == 0);
    } else {
      Check(store_->Recover(), "recover");
      if (!Failed()) Settle();
    }
    if (!Failed() && next_ != known) Fail("what found no room was logged");
    failing_ = false;
  }

  // After a failure: what became of those that were not answered.
  void Settle() {
    for (int producer = 0; producer < kProducers && !Failed(); ++producer) {
      const absl::StatusOr<std::int64_t> next = AskNext(producer).get();
      Check(next.status(), "question");
      if (Failed()) return;
      const std::int64_t known = next_[static_cast<std::size_t>(producer)];
      if (*next < known) Fail("an acknowledged number was forgotten");
      for (std::int64_t i = known; i < *next && !Failed(); ++i) {
        ++result_.unanswered;
        const Outcome repeat = Send(producer, i).get();
        if (repeat.ok() && !repeat->repeated) Fail("what was logged was learned again");
        Note(producer, i, repeat);
      }
    }
  }

  void TakeSnapshot() {
    std::promise<absl::Status> done;
    engine_->CreateSnapshot("m", [&done](const absl::StatusOr<StoredSnapshot>& stored) {
      done.set_value(stored.status());
    });
    const absl::Status status = done.get_future().get();
    ++result_.snapshots;
    if (!failing_) Check(status, "snapshot");
  }

  // A revision that is kept.
  std::int64_t DrawRevision() {
    const absl::StatusOr<Revisions> revisions = engine_->ListRevisions("m");
    Check(revisions.status(), "revisions");
    if (Failed()) return 0;
    const auto newest = static_cast<std::int64_t>(events_.size());
    if (revisions->oldest > newest) Fail("the oldest revision is beyond the newest");
    return revisions->oldest + Draw(static_cast<int>(newest - revisions->oldest) + 1);
  }

  void Rollback() {
    const std::int64_t revision = DrawRevision();
    const absl::StatusOr<ModelInfo> info = engine_->Rollback("m", revision);
    if (absl::IsOutOfRange(info.status())) return;  // a snapshot has just moved the oldest
    Check(info.status(), "rollback");
    if (Failed()) return;
    ++result_.rollbacks;
    acknowledged_ = static_cast<std::int64_t>(events_.size()) + 1;
    events_[acknowledged_] = {.returned_to = revision};
    if (info->published.revision != acknowledged_) Fail("a rollback is not the next revision");
  }

  void Fork() {
    const std::int64_t revision = DrawRevision();
    if (Failed()) return;
    const std::string name = absl::StrCat("fork-", ++forks_);
    const absl::StatusOr<ModelInfo> info = engine_->Fork("m", revision, name, nullptr);
    if (absl::IsOutOfRange(info.status())) return;  // as above
    Check(info.status(), "fork");
    if (Failed()) return;
    ++result_.forks;
    CompareState(name, static_cast<std::size_t>(revision));
    Check(engine_->DeleteModel(name), "delete");
  }

  // `name`'s state is the fold of the first `revision` events.
  void CompareState(const std::string& name, std::size_t revision) {
    const absl::StatusOr<ModelInfo> info = engine_->GetModel(name);
    Check(info.status(), "model");
    if (Failed()) return;
    if (info->published.revision != static_cast<std::int64_t>(revision)) {
      return Fail(
          absl::StrCat(name, " is at revision ", info->published.revision, ", not ", revision));
    }
    const Learner& learner = *info->learner;
    const absl::StatusOr<LearnerState> folded =
        FoldEvents(learner, events_, static_cast<std::int64_t>(revision));
    Check(folded.status(), "fold");
    if (Failed()) return;
    if (learner.EncodeState(*folded) != learner.EncodeState(*info->published.state)) {
      Fail(absl::StrCat(name, " differs from its fold at revision ", revision));
    }
    if (torn_) Fail("a reader saw a torn or decreasing revision");
    result_.reads = reads_;
  }

  std::mt19937_64 random_;
  EngineOptions options_;
  const TestCodec codec_{};
  ManualClock clock_;
  EngineObserver observer_;
  const std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<Engine> engine_;
  std::thread reader_;
  std::atomic<bool> reading_ = false, torn_ = false;
  std::atomic<std::int64_t> reads_ = 0;

  std::vector<std::int64_t> next_ = std::vector<std::int64_t>(kProducers, 1);
  SimulatedEvents events_;
  std::int64_t acknowledged_ = 0;
  bool failing_ = false;
  int forks_ = 0;
  Simulated result_;
};

}  // namespace

void Simulated::Add(const Simulated& other) {
  for (const auto count :
       {&Simulated::learned, &Simulated::repeats, &Simulated::gaps, &Simulated::refusals,
        &Simulated::crashes, &Simulated::failed_syncs, &Simulated::full_disks,
        &Simulated::unanswered, &Simulated::restarts, &Simulated::snapshots, &Simulated::rollbacks,
        &Simulated::forks, &Simulated::reads}) {
    this->*count += other.*count;
  }
  if (problem.empty()) problem = other.problem;
}

Simulated Simulate(std::uint64_t seed) { return World(seed).Run(); }

}  // namespace prequel
