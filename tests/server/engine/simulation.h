// A random life of an engine over a disk that crashes, checked against a plain fold.
#pragma once

#include <cstdint>
#include <string>

namespace prequel {

// How often each thing happened, and what went wrong: empty when every invariant held.
struct Simulated {
  std::int64_t learned = 0, repeats = 0, gaps = 0, refusals = 0, restarts = 0;
  std::int64_t crashes = 0, failed_syncs = 0, full_disks = 0;
  std::int64_t unanswered = 0;  // logged, and known to its producer only when it asked
  std::int64_t snapshots = 0, rollbacks = 0, forks = 0, reads = 0;
  std::string problem;

  void Add(const Simulated& other);
};

// One schedule, all of it drawn from `seed`: producers that send, repeat, leap ahead and send
// nonsense, power losses before writes and after them, failed syncs, disks that fill up and have
// room again, restarts, snapshots, rollbacks and forks, with a reader beside them. Checked:
//
// - every acknowledged minibatch has one revision, which no other has, also after a crash;
// - what was not acknowledged is settled by asking again: counted once or not at all, and not at
//   all by a disk that was full;
// - revisions never decrease for a reader while a server lives, nor below what was acknowledged
//   after a crash;
// - a model's state is, bit for bit, the plain fold of its revisions.
Simulated Simulate(std::uint64_t seed);

}  // namespace prequel
