// Group commit: one thread that puts what all models have waiting into their logs, one sync at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/clock.h"
#include "server/engine/commit/admission.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/observer.h"
#include "server/storage/log.h"
#include "server/sync/mutex.h"

namespace prequel {

class Ledger;
class LogTail;

// Committer owns the tail of every log that is open. Deliveries that are in the log go to their
// sink, in log order; the others are refused. Thread-safe.
class Committer {
 public:
  // NextCallback is given the producer's next number, or why it cannot be told. Like Sink's
  // methods, it must not block.
  using NextCallback = absl::AnyInvocable<void(const absl::StatusOr<std::int64_t>&)>;

  // `log`, `clock` and `observers` outlive the committer.
  Committer(Log& log, const Clock& clock, const EngineObservers& observers,
            std::size_t max_group_bytes);
  ~Committer() { Stop(); }
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // Open: deliveries for `log` are taken from now on. REQUIRES: nobody else appends to it, and all
  // that it holds has been folded into `ledger`.
  void Open(LogId log, const Ledger& ledger);
  // Close refuses what is for `log` with `status` from now on, and what waits already. Returns when
  // all that was enqueued before has been delivered or answered. REQUIRES: not called by a
  // callback.
  void Close(LogId log, const absl::Status& status);
  // Reopen undoes Close: `log`, if it was ever open, takes deliveries again. Forget drops a log
  // that was deleted.
  void Reopen(LogId log);
  void Forget(LogId log);

  // Append never blocks; the queue is bounded by the tickets. NOT_FOUND for a log that is not open.
  void Append(LogId log, std::unique_ptr<Delivery> delivery);
  // AskNext asks for the number that `producer` is to go on with, as of the question's place in the
  // queue: what is enqueued behind it does not count yet.
  void AskNext(LogId log, std::string producer, TimePoint deadline, Admission::Ticket ticket,
               NextCallback done);

  // Stop ends the group that is being written, and answers what waits, and all that comes later,
  // with UNAVAILABLE. REQUIRES: not called by a callback, nor by two threads at once.
  void Stop();

 private:
  struct Query {  // of a producer's next number
    std::string producer;
    TimePoint deadline;
    Admission::Ticket ticket;
    NextCallback done;
    std::int64_t next = 0;
  };
  struct Item {
    LogId log{};
    std::variant<std::unique_ptr<Delivery>, Query> what;
    std::shared_ptr<LogTail> tail;  // of `log`
    absl::Status closed;            // why nothing is to be logged there
  };
  struct Door {
    std::shared_ptr<LogTail> tail;  // the committer thread's
    absl::Status closed;
  };

  void Enqueue(Item item);
  void Run();
  bool NextGroup();
  // Filter answers, and takes out of group_, the items for which `check` is not OK.
  void Filter(absl::FunctionRef<absl::Status(Item&)> check);
  static absl::Status CheckFresh(const Item& item, TimePoint now);
  absl::Status Number(Item& item, TimePoint now);
  absl::Status Append();
  void Commit();
  static void Deliver(Item item);
  static void Refuse(Item item, const absl::Status& status);

  // Constant after construction.
  Log& log_;
  const Clock& clock_;
  const EngineObservers& observers_;
  const std::size_t max_group_bytes_;

  // Owned by the committer thread.
  std::vector<Item> group_;
  std::vector<LogRecord> records_;  // what of group_ is to be logged
  std::vector<Delivery*> logged_;   // whose they are
  std::set<LogTail*> touched_;      // whose numbers were taken

  Mutex mu_;
  CondVar wake_, settled_changed_;
  std::map<LogId, Door> doors_ ABSL_GUARDED_BY(mu_);
  std::deque<Item> waiting_ ABSL_GUARDED_BY(mu_);    // order of arrival
  std::uint64_t enqueued_ ABSL_GUARDED_BY(mu_) = 0;  // ever
  std::uint64_t settled_ ABSL_GUARDED_BY(mu_) = 0;   // of those, delivered or answered
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace prequel
