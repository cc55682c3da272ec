// A server that is killed again and again while producers stream into it, and the proof that
// nothing was lost, nothing counted twice, and every bit is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prequel {

struct CrashOptions {
  std::string prequeld;   // the program
  std::string directory;  // its data
  int models = 5;         // of all kinds that CrashConfig makes
  int producers = 2;      // of each model, one stream each
  int kills = 5;
  int min_alive_ms = 20, max_alive_ms = 400;  // from ready to the kill, drawn at random
  std::uint64_t seed = 1;
  std::vector<std::string> flags;  // more, for the server
};

struct CrashResult {
  int kills = 0;
  int kills_recovering = 0;       // of them, soon after a launch
  std::int64_t acknowledged = 0;  // minibatches, all models
  std::int64_t repeated = 0;      // of them, answered a second time since the first answer was lost
  std::int64_t lost = 0;          // acknowledged, and not in the final state
  std::int64_t twice = 0;         // two minibatches, one revision; or one minibatch, two revisions
  int different = 0;              // models whose final answers are not those of the plain fold
  std::string problem;            // what kept the run from being finished; empty: nothing
  double restart_ms = 0;          // mean time from start to ready
};

// Streams until the server has been killed `kills` times, lets it settle, and compares the final
// predictions, evaluation and state of every model with an uninterrupted fold of the acknowledged
// minibatches in the order of their revisions.
CrashResult RunCrashes(const CrashOptions& options);

}  // namespace prequel
