// Threads for calls that compute or wait for the disk, so that gRPC's own never do.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/engine/still_wanted.h"
#include "server/rpc/call.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"

namespace prequel {

// So many calls are worked on at a time, and what they use is divided evenly among those who ask:
// the caller who has used the least processor time is next, and of what it asks, what has used the
// least. Long work lets others have its place between its pieces (Work's Proceed).
class CallPool {
 public:
  // To be asked between pieces of the work: whether the answer is still wanted. Others may be
  // worked on before it returns.
  using Proceed = StillWanted;
  using Work = absl::AnyInvocable<absl::Status(const Proceed& proceed)>;
  using Answer = absl::AnyInvocable<void(const absl::Status&)>;

  // What a call asks for, as far as the request alone says. Small ones have places of their own,
  // and large ones are worked on in the background where there are such places.
  enum class Size { kSmall, kLarge };

  // At most `at_once` calls are worked on, and `spare` small ones beside them; and at most
  // `max_queued` wait to begin, of which one caller may have half and as many as are left, and one
  // thing that it asks about three quarters of that; `refusal` is what others are told.
  CallPool(int at_once, std::size_t max_queued, std::string refusal, int spare = 0);
  // Answers what is queued, then stops.
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Gives `answer`, once, what `work` returns, on a thread that is not in the background: gRPC has
  // locks that all connections share. On the caller's, before Run returns, RESOURCE_EXHAUSTED when
  // too many wait. A call that is not `wanted` any more when its turn comes is answered with that,
  // without work.
  void Run(const Asker& who, StillWanted wanted, Work work, Answer answer,
           Size size = Size::kSmall);
  void Run(const UnaryCall& call, Work work, Size size = Size::kSmall);
  void Run(const UnaryCall& call, absl::AnyInvocable<absl::Status()> work);

  // Refuses new calls with UNAVAILABLE and waits for the accepted ones, until `deadline`.
  void Drain(TimePoint deadline);

 private:
  // One that begins, or one that waits between two of its pieces.
  struct Task {
    StillWanted wanted;
    Work work;
    Answer answer;
    Size size = Size::kSmall;
    int share = kEvenShare;
  };
  struct Pause {
    Size size;
    CondVar go;
    bool may_go = false;
  };
  using Item = std::variant<Task, Pause*>;

  // What a caller has in the pool, and how much of it is about what.
  struct Counts {
    std::size_t queued = 0;
    int begun = 0;
  };
  struct Asked : Counts {
    std::map<std::string, Counts> about;
  };

  // Threads, as many as calls may have begun, and what they are to do.
  struct Crew {
    CondVar wake;  // a job, or the end
    std::deque<absl::AnyInvocable<void()>> jobs;
  };
  // A call's processor time since it was last charged.
  class Piece;

  // Of one caller, those whose use is remembered while nothing of theirs waits.
  static constexpr std::size_t kMostAbout = 64;

  Crew& CrewOf(Size size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(Size size, absl::AnyInvocable<void()> job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Loop(Size size);
  absl::Status Admit(const Asker& who, Task& task);
  bool HasRoom(const Asker& who) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool MayBegin(const std::string& caller, const std::string& about, const Item& item) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // So much more, or less, that waits to begin, or has begun and is not answered.
  void Count(const Asker& who, int queued, int begun) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Gives free places to those who are next.
  void Dispatch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakePlace(Size size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void LeavePlace(Size size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Proceeds(Piece& piece, const Task& task);
  void Perform(const Asker& who, Task& task);
  void Answered(const Asker& who) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const int at_once_, spare_;
  const int max_begun_;
  const std::size_t max_queued_;
  const std::string refusal_;
  Mutex mu_;
  CondVar answered_;  // a call
  FairLines<FairLines<Fifo<Item>, kMostAbout>> queue_ ABSL_GUARDED_BY(mu_);
  Crew foreground_ ABSL_GUARDED_BY(mu_), background_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Asked> asked_ ABSL_GUARDED_BY(mu_);  // by caller
  // Places taken, in all and by large calls.
  int running_ ABSL_GUARDED_BY(mu_) = 0, large_ ABSL_GUARDED_BY(mu_) = 0;
  int all_begun_ ABSL_GUARDED_BY(mu_) = 0;
  std::size_t queued_ ABSL_GUARDED_BY(mu_) = 0;  // to begin
  int unanswered_ ABSL_GUARDED_BY(mu_) = 0;      // queued, begun or done
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;  // constant after construction
};

// Which calls run where; both outlive their users.
struct CallPools {
  CallPool& queries;  // short calls
  // Calls that fold a log, or hold a whole state, again: few at a time, and queries never wait for
  // them.
  CallPool& history;
  // Calls that make models or delete them: one of a million columns takes a second to look at.
  CallPool& changes;
};

}  // namespace prequel
