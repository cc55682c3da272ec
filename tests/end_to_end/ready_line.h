// What prequeld prints once it accepts calls.
#pragma once

#include <string>

#include "tests/end_to_end/child_process.h"

namespace prequel {

// HOST:PORT each; empty: none.
struct ReadyLine {
  std::string grpc, http;
};

// The program's next line; both empty when it is another one.
ReadyLine ReadReadyLine(ChildProcess& program);

}  // namespace prequel
