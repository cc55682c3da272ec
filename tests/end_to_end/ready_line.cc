#include "tests/end_to_end/ready_line.h"

#include <cstdio>

namespace prequel {

ReadyLine ReadReadyLine(ChildProcess& program) {
  char grpc[64] = "", http[64] = "";
  std::sscanf(program.ReadLine().c_str(), "prequeld listening on %63s (http %63[^)])", grpc, http);
  return {grpc, http};
}

}  // namespace prequel
