#include "tests/accept/durability.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "server/storage/rocks/rocks_store.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/crash_run.h"
#include "tests/server/engine/reader_histories.h"
#include "tests/server/engine/simulation.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::accept {
namespace {

// PREQUEL_KILLS=20 for a look.
int Kills() {
  const char* kills = std::getenv("PREQUEL_KILLS");
  return kills == nullptr ? 500 : std::atoi(kills);
}

}  // namespace

bool RunDurability(const std::string& name, Report& report) {
  if (name != "durability" && name.rfind("durability.", 0) != 0) return false;
  const std::string part = name.size() > 11 ? name.substr(11) : "";
  if (part.empty() || part == "kill") KillUnderLoad(report);
  if (part.empty() || part == "simulation") SimulateSchedules(report);
  if (part.empty() || part == "readers") ReadBesideWrites(report);
  if (part.empty() || part == "speed") MeasureSpeed(report);
  if (part.empty() || part == "snapshots") AnswerBesideSnapshots(report);
  if (part.empty() || part == "waiters") WaitForRevisions(report);
  if (part.empty() || part == "soak") Soak(report);
  return true;
}

void KillUnderLoad(Report& report) {
  report.Section("kill -9 under load");
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("prequel-accept-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root);
  CrashOptions options;
  options.prequeld = PREQUELD;
  options.directory = root / "data";
  options.models = 4;
  options.producers = 3;
  options.kills = Kills();
  options.min_alive_ms = 5;
  options.max_alive_ms = 250;
  options.flags = {"--snapshot-batches=500", "--snapshots-kept=2"};
  const CrashResult result = RunCrashes(options);
  std::filesystem::remove_all(root);
  const std::string setting =
      "4 models x 3 producers, a snapshot every 500 minibatches, killed 5 "
      "to 250 ms after ready, a third of the times again while recovering, seed 1";
  if (!result.problem.empty()) std::fprintf(stderr, "%s\n", result.problem.c_str());
  const auto add = [&](const char* name, double value, double target, Direction direction) {
    report.Add({name, value, 0, target, direction, setting});
  };
  add("finished (1 = yes)", result.problem.empty() ? 1 : 0, 1, Direction::kAtLeast);
  add("kills", result.kills, options.kills, Direction::kAtLeast);
  add("of them while it recovered", result.kills_recovering, 0.1 * options.kills,
      Direction::kAtLeast);
  add("minibatches acknowledged", static_cast<double>(result.acknowledged), 20 * options.kills,
      Direction::kAtLeast);
  add("of them by a repeat, the first answer lost", static_cast<double>(result.repeated), 1,
      Direction::kAtLeast);
  add("acknowledged and lost", static_cast<double>(result.lost), 0, Direction::kAtMost);
  add("counted twice", static_cast<double>(result.twice), 0, Direction::kAtMost);
  add("models that differ in any bit from the plain fold", result.different, 0, Direction::kAtMost);
  add("mean milliseconds from start to ready", result.restart_ms, 5000, Direction::kAtMost);
}

void SimulateSchedules(Report& report) {
  report.Section("random schedules over a disk that loses power");
  const char* wanted = std::getenv("PREQUEL_SCHEDULES");
  const int schedules = wanted == nullptr ? 100'000 : std::atoi(wanted);
  Simulated total;
  int failed = 0;
  for (int seed = 0; seed < schedules; ++seed) {
    const Simulated one = Simulate(static_cast<std::uint64_t>(seed));
    total.Add(one);
    if (one.problem.empty()) continue;
    ++failed;
    std::fprintf(stderr, "seed %d: %s\n", seed, one.problem.c_str());
  }
  const std::string setting =
      "seeds 0 to " + std::to_string(schedules - 1) + ", 24 steps each; a failing seed is named";
  const auto add = [&](const char* name, std::int64_t value, double target, Direction direction) {
    report.Add({name, static_cast<double>(value), 0, target, direction, setting});
  };
  add("schedules", schedules, schedules, Direction::kAtLeast);
  add("of them with a broken invariant", failed, 0, Direction::kAtMost);
  const struct {
    const char* name;
    std::int64_t count;
  } met[] = {{"minibatches learned", total.learned},
             {"repeats", total.repeats},
             {"gaps", total.gaps},
             {"refusals", total.refusals},
             {"power losses", total.crashes},
             {"failed syncs", total.failed_syncs},
             {"full disks", total.full_disks},
             {"logged, but the answer lost", total.unanswered},
             {"restarts", total.restarts},
             {"snapshots", total.snapshots},
             {"rollbacks", total.rollbacks},
             {"forks", total.forks},
             {"states read", total.reads}};
  for (const auto& [name, count] : met) add(name, count, 0.1 * schedules, Direction::kAtLeast);
}

void ReadBesideWrites(Report& report) {
  report.Section("histories of readers beside writers");
  const char* wanted = std::getenv("PREQUEL_HISTORIES");
  const int histories = wanted == nullptr ? 200 : std::atoi(wanted);
  ReaderHistories total;
  int failed = 0;
  for (int seed = 0; seed < histories; ++seed) {
    const ScratchFolder folder;
    std::unique_ptr<Store> store = MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
    if (seed % 2 == 1) store = RocksStore::Open({.directory = folder.path()}).value();
    const ReaderHistories one = CheckReaders(
        *store, {.seed = static_cast<std::uint64_t>(seed), .writers = 1 + seed % 4, .readers = 3});
    total.Add(one);
    if (one.problem.empty()) continue;
    ++failed;
    std::fprintf(stderr, "seed %d: %s\n", seed, one.problem.c_str());
  }
  const std::string setting =
      "1 to 4 writers, 3 readers, rollbacks and forks; every second history "
      "on RocksDB, the others in memory";
  const auto add = [&](const char* name, std::int64_t value, double target, Direction direction) {
    report.Add({name, static_cast<double>(value), 0, target, direction, setting});
  };
  add("histories", histories, histories, Direction::kAtLeast);
  add("of them with a read that is not linearizable", failed, 0, Direction::kAtMost);
  add("writes", total.writes, 100 * histories, Direction::kAtLeast);
  add("rollbacks", total.rollbacks, histories, Direction::kAtLeast);
  add("forks", total.forks, histories, Direction::kAtLeast);
  add("reads of the newest state", total.reads, 100 * histories, Direction::kAtLeast);
  add("reads of past revisions", total.past_reads, histories, Direction::kAtLeast);
}

}  // namespace prequel::accept
