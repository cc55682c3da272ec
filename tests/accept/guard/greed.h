// Somebody who wants all that a server has, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/child_process.h"

namespace prequel::accept {

// Learns wide rows, without a pause, of the models NAME-0 and NAME-1. Its process takes the
// processor time that is left, as those of attacks do, and shares no thread with whoever is
// measured.
class Greed {
 public:
  struct Wants {
    std::string models;  // NAME
    int threads = 0;
    bool samples = false;  // every other pair of threads asks for 1,000 of them, and learns nothing
  };

  // `files`: of the authority's certificate and of a token; none: plain text.
  Greed(const std::string& server, const Wants& wants, const std::vector<std::string>& files = {});

  // Ends it; how many calls were answered.
  int Stop();

 private:
  ChildProcess process_;
};

}  // namespace prequel::accept
