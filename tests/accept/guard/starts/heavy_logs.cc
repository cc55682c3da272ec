#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_store.h"
#include "tests/accept/guard/attacks/wire.h"
#include "tests/accept/guard/bystander_rows.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/starts/restart.h"
#include "tests/accept/guard/starts/starts.h"
#include "tests/accept/guard/starts/stored_log.h"
#include "tests/accept/or_die.h"
#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

constexpr int kModels = 3, kMinibatches = 800, kRows = 8, kColumns = 1600;
constexpr char kName[] = "three heavy logs that are replayed";

std::string NameOf(int model) { return absl::StrCat("heavy-", model); }

void StoreHeavyLogs(const std::string& directory) {
  const auto store = OrDie(RocksStore::Open({.directory = directory}));
  const v1::Batch minibatch = Zeros(kRows, kColumns, true);
  for (int i = 0; i < kModels; ++i) {
    StoreLog(*store, NameOf(i), Linear(kColumns), minibatch, kMinibatches);
  }
}

int StillReplayed(const Program& program) {
  int replayed = 0;
  for (int i = 0; i < kModels; ++i) {
    if (Ask(program, NameOf(i), kColumns).error_code() == grpc::StatusCode::UNAVAILABLE) ++replayed;
  }
  return replayed;
}

bool IsReady(const Program& program) {
  return HttpGet({.address = program.http()}, "/v2/health/ready").find(" 200") != std::string::npos;
}

}  // namespace

void ReplayHeavyLogs(Report& report) {
  report.Describe(absl::StrCat("Heavy logs: of ", kModels, " models of ", kColumns, " columns, ",
                               kMinibatches, " minibatches of ", kRows,
                               " rows, which no snapshot holds. They end when the models are "
                               "deleted."));
  Program program;
  const Stretch quiet = TakeQuietAndKill(program);
  const double alone = StartAndAwaitBystander(program);
  program.Kill();
  StoreHeavyLogs(program.data());
  const double beside = StartAndAwaitBystander(program);
  report.Add({absl::StrCat(kName,
                           ": seconds from the start to the bystander's first answer, over "
                           "those without them"),
              beside / alone, 0, 5, Direction::kAtMost,
              Text("%.1f s and %.1f s", {beside, alone})});
  {
    // The server is not ready while it replays.
    Bystander bystander(program.grpc(), program.http(), program.child().pid(), "/v2/health/live");
    std::this_thread::sleep_for(kBeside);
    AddBeside(kName, bystander.Take(), quiet, report);
    report.Add({absl::StrCat(kName, ": of them not done by then"),
                static_cast<double>(StillReplayed(program)), 0, kModels, Direction::kAtLeast,
                "fewer are no load"});
    for (int i = 0; i < kModels; ++i) (void)Delete({program.grpc()}, NameOf(i));
    AddAfter(kName, bystander, quiet, report);
  }
  report.Add({absl::StrCat(kName, ": ready once they are deleted (1 = yes)"),
              IsReady(program) ? 1.0 : 0.0, 0, 1, Direction::kAtLeast, ""});
  AddLog(kName, program, report);
}

}  // namespace prequel::accept
