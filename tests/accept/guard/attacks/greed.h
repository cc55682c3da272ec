// Somebody who wants all that a server has, in a process of its own.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "server/sync/mutex.h"
#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/entrance.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/child_process.h"

namespace prequel::accept {

// Calls of one who is greedy that were answered: as was asked, or with an error.
struct Takings {
  std::int64_t learned = 0, sampled = 0, undecodable = 0, refused = 0;

  friend Takings operator-(const Takings& a, const Takings& b) {
    return {a.learned - b.learned, a.sampled - b.sampled, a.undecodable - b.undecodable,
            a.refused - b.refused};
  }
};

// Its process takes the processor time that is left, as those of attacks do, and shares no thread
// with whoever is measured. One that does not run has no takings.
class Greed final : public Attack {
 public:
  // What it asks for, without a pause.
  struct Wants {
    // "learning": of wide rows, by the models NAME-0 and NAME-1. "samples": every other pair of
    // threads asks for 1,000 of them, and learns nothing. "nonsense": nothing, by requests whose
    // bytes are no message.
    std::string what = "learning";
    std::string models;  // NAME
    int threads = 0;
  };

  Greed(const Entrance& server, const Wants& wants);
  ~Greed() override;

  // So far, as of a tenth of a second ago.
  Takings takings() const;
  // Refused calls are none.
  std::int64_t strikes() const override;

 private:
  void Follow();

  const ScratchFolder folder_;  // what it shows a server with TLS
  ChildProcess process_;
  mutable Mutex mu_;
  Takings takings_ ABSL_GUARDED_BY(mu_);
  std::thread following_;
};

}  // namespace prequel::accept
