#include "server/rpc/call_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sync/thread_time.h"

namespace prequel {
namespace {

// Calls that have begun and wait between two pieces keep their threads: so many more than places.
constexpr int kPaused = 14;
// A piece shorter than this goes on at once.
constexpr double kPieceSeconds = 5e-3;

}  // namespace

class CallPool::Piece {
 public:
  explicit Piece(const std::string& who) : who_(who) {}
  const std::string& who() const { return who_; }
  double used() const { return ThreadSeconds() - begun_; }
  double Take() { return ThreadSeconds() - std::exchange(begun_, ThreadSeconds()); }

 private:
  const std::string& who_;
  double begun_ = ThreadSeconds();
};

CallPool::CallPool(int at_once, std::size_t max_queued, std::string refusal, int spare)
    : at_once_(at_once),
      spare_(spare),
      max_begun_(at_once + spare + kPaused),
      max_queued_(max_queued),
      refusal_(std::move(refusal)) {
  for (int i = 0; i < max_begun_; ++i) threads_.emplace_back([this] { Loop(); });
}

CallPool::~CallPool() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void CallPool::Run(std::string_view who, StillWanted wanted, Work work, Answer answer, Size size) {
  Task task{std::move(wanted), std::move(work), std::move(answer), size};
  const absl::Status status = Admit(who, task);
  if (!status.ok()) task.answer(status);
}

void CallPool::Run(const UnaryCall& call, Work work, Size size) {
  Run(
      call.who(), call.wanted(), std::move(work),
      [call](const absl::Status& status) { call.Finish(status); }, size);
}

void CallPool::Run(const UnaryCall& call, absl::AnyInvocable<absl::Status()> work) {
  Run(call, Work([work = std::move(work)](const Proceed&) mutable { return work(); }));
}

bool CallPool::HasRoom(std::string_view who) const {
  if (queued_ >= max_queued_) return false;
  return 2 * queued_ <= max_queued_ || queue_.SizeOf(who) < max_queued_ - queued_;
}

absl::Status CallPool::Admit(std::string_view who, Task& task) {
  MutexLock lock(mu_);
  if (draining_) return absl::UnavailableError("the server is stopping");
  if (!HasRoom(who)) return absl::ResourceExhaustedError(refusal_);
  queue_.Push(who, std::move(task));
  ++queued_;
  ++unanswered_;
  Dispatch();
  return absl::OkStatus();
}

void CallPool::Drain(TimePoint deadline) {
  MutexLock lock(mu_);
  draining_ = true;
  while (unanswered_ > 0 && answered_.WaitUntil(mu_, deadline)) {
  }
}

// Who asks much may have begun no more than can be worked on at once, so that threads are left for
// the others.
bool CallPool::MayBegin(const std::string& who, const Item& item) const {
  const auto* pause = std::get_if<Pause*>(&item);
  const Size size = pause != nullptr ? (*pause)->size : std::get<Task>(item).size;
  if (size == Size::kLarge && large_ >= at_once_) return false;
  if (pause != nullptr) return true;
  if (all_begun_ >= max_begun_) return false;
  const auto begun = begun_.find(who);
  return begun == begun_.end() || begun->second < at_once_;
}

void CallPool::Dispatch() {
  while (running_ < at_once_ + spare_) {
    auto next = queue_.Pop([this](const std::string& who, const Item& item)
                               ABSL_NO_THREAD_SAFETY_ANALYSIS { return MayBegin(who, item); });
    if (!next) return;
    if (Pause** pause = std::get_if<Pause*>(&next->second)) {
      TakePlace((*pause)->size);
      (*pause)->may_go = true;
      (*pause)->go.NotifyOne();
      continue;
    }
    TakePlace(std::get<Task>(next->second).size);
    ++begun_[next->first];
    ++all_begun_;
    --queued_;
    ready_.emplace_back(std::move(next->first), std::get<Task>(std::move(next->second)));
    wake_.NotifyOne();
  }
}

void CallPool::TakePlace(Size size) {
  ++running_;
  if (size == Size::kLarge) ++large_;
}

void CallPool::LeavePlace(Size size) {
  --running_;
  if (size == Size::kLarge) --large_;
}

absl::Status CallPool::Proceeds(Piece& piece, const Task& task) {
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (!status.ok() || piece.used() < kPieceSeconds) return status;
  Pause pause{.size = task.size};
  MutexLock lock(mu_);
  queue_.Charge(piece.who(), piece.Take());
  queue_.PushFront(piece.who(), &pause);
  LeavePlace(task.size);
  Dispatch();
  while (!pause.may_go) pause.go.Wait(mu_);
  return status;
}

void CallPool::Perform(const std::string& who, Task& task) {
  Piece piece(who);
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (status.ok()) {
    status = task.work([&] { return Proceeds(piece, task); });
  }
  task.answer(status);
  const Size size = task.size;
  task = {};
  MutexLock lock(mu_);
  queue_.Charge(who, piece.Take());
  if (const auto begun = begun_.find(who); --begun->second == 0) begun_.erase(begun);
  --all_begun_;
  LeavePlace(size);
  --unanswered_;
  answered_.NotifyAll();
  Dispatch();
}

void CallPool::Loop() {
  while (true) {
    std::optional<std::pair<std::string, Task>> next;
    {
      MutexLock lock(mu_);
      while (ready_.empty() && !(stopping_ && unanswered_ == 0)) wake_.Wait(mu_);
      if (ready_.empty()) break;
      next = std::move(ready_.front());
      ready_.pop_front();
    }
    Perform(next->first, next->second);
  }
  wake_.NotifyAll();  // the others end as well
}

}  // namespace prequel
