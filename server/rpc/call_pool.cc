#include "server/rpc/call_pool.h"

#include <utility>

namespace prequel {

CallPool::CallPool(int threads, std::size_t max_queued, std::string refusal)
    : max_queued_(max_queued), refusal_(std::move(refusal)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
}

CallPool::~CallPool() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void CallPool::Run(StillWanted wanted, Work work, Answer answer) {
  Task task{std::move(wanted), std::move(work), std::move(answer)};
  const absl::Status status = Admit(task);
  if (!status.ok()) task.answer(status);
}

void CallPool::Run(const UnaryCall& call, Work work) {
  Run(call.wanted(), std::move(work), [call](const absl::Status& status) { call.Finish(status); });
}

absl::Status CallPool::Admit(Task& task) {
  MutexLock lock(mu_);
  if (draining_) return absl::UnavailableError("the server is stopping");
  if (queue_.size() >= max_queued_) return absl::ResourceExhaustedError(refusal_);
  queue_.push_back(std::move(task));
  ++unanswered_;
  wake_.NotifyOne();
  return absl::OkStatus();
}

void CallPool::Drain(TimePoint deadline) {
  MutexLock lock(mu_);
  draining_ = true;
  while (unanswered_ > 0 && answered_.WaitUntil(mu_, deadline)) {
  }
}

void CallPool::Loop() {
  std::deque<Task> taken;
  while (Take(taken)) {
    Task& task = taken.front();
    const absl::Status wanted = task.wanted ? task.wanted() : absl::OkStatus();
    task.answer(wanted.ok() ? task.work() : wanted);
    taken.pop_front();
    OnAnswered();
  }
}

void CallPool::OnAnswered() {
  MutexLock lock(mu_);
  --unanswered_;
  answered_.NotifyAll();
}

// Moves one task into `taken`; false when there will be none.
bool CallPool::Take(std::deque<Task>& taken) {
  MutexLock lock(mu_);
  while (queue_.empty() && !stopping_) wake_.Wait(mu_);
  if (queue_.empty()) return false;
  taken.push_back(std::move(queue_.front()));
  queue_.pop_front();
  return true;
}

}  // namespace prequel
