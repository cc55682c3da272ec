// Group commit: one thread that puts what all models have waiting into the log, one sync at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/engine/clock.h"
#include "server/engine/observer.h"
#include "server/engine/pending_batch.h"
#include "server/storage/log.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. What is in the log is delivered to its model, in log order; the rest is answered.
class Committer {
 public:
  // `log`, `clock` and `observer` outlive the committer.
  Committer(Log& log, const Clock& clock, EngineObserver& observer, std::size_t max_group_bytes);
  ~Committer() { Stop(); }
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // Never blocks; the queue is bounded by admission. Once stopped, answers UNAVAILABLE at once.
  void Enqueue(std::unique_ptr<PendingBatch> batch);

  // Returns when all that was enqueued before has been delivered or answered.
  // REQUIRES: not called by a callback.
  void Flush();

  // Ends the group that is being written, answers the rest with UNAVAILABLE.
  // REQUIRES: not called by a callback, nor by two threads at once.
  void Stop();

 private:
  using Group = std::vector<std::unique_ptr<PendingBatch>>;

  void Run();
  bool NextGroup();
  // Answers, and takes out of group_, those for which `check` is not OK.
  void Filter(absl::FunctionRef<absl::Status(PendingBatch&)> check);
  absl::Status CheckFresh(const PendingBatch& batch, TimePoint now) const;
  absl::Status Number(PendingBatch& batch);
  absl::Status Append();
  void Commit();
  void Deliver(std::unique_ptr<PendingBatch> batch);
  void Refuse(std::unique_ptr<PendingBatch> batch, const absl::Status& status);

  // Constant after construction.
  Log& log_;
  const Clock& clock_;
  EngineObserver& observer_;
  const std::size_t max_group_bytes_;

  // Owned by the committer thread.
  Group group_;
  std::vector<LogRecord> records_;  // what of group_ is to be logged
  std::set<ModelActor*> touched_;   // whose numbers were asked for

  Mutex mu_;
  CondVar wake_, settled_changed_;
  std::deque<std::unique_ptr<PendingBatch>> waiting_ ABSL_GUARDED_BY(mu_);  // order of arrival
  std::uint64_t enqueued_ ABSL_GUARDED_BY(mu_) = 0;                         // ever
  std::uint64_t settled_ ABSL_GUARDED_BY(mu_) = 0;  // of those, delivered or answered
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace prequel
