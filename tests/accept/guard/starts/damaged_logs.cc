#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_store.h"
#include "tests/accept/guard/bystander_rows.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/entrance.h"
#include "tests/accept/guard/starts/restart.h"
#include "tests/accept/guard/starts/starts.h"
#include "tests/accept/guard/starts/stored_log.h"
#include "tests/accept/or_die.h"
#include "tests/end_to_end/damage.h"

namespace prequel::accept {
namespace {

constexpr int kRows = 256, kColumns = 16, kMinibatches = 20;
constexpr char kName[] = "a cut log and a flipped bit";

// Inputs that no other minibatch has: floats of about 0.9.
v1::Batch Marked() {
  v1::Batch minibatch = Zeros(kRows, kColumns, true);
  std::string& bytes = *minibatch.mutable_inputs()->mutable_data();
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) bytes.replace(at, 4, "abc?");
  return minibatch;
}

void Cut(Program& program) {
  program.Start();
  const auto stub = LearningStub({program.grpc()});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!Learn(*stub, "cut", kRows, kColumns).ok() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it is replayed
  }
  program.Kill();
  (void)LoseWriteAheadLog(program.data());
}

// The bystander's own log is in tables by then.
void Damage(Program& program) {
  const v1::Batch marked = Marked();
  {
    const auto store = OrDie(RocksStore::Open({.directory = program.data()}));
    StoreLog(*store, "flipped", Linear(kColumns), marked, kMinibatches);
    StoreLog(*store, "cut", Linear(kColumns), Zeros(kRows, kColumns, true), kMinibatches);
  }
  Cut(program);
  (void)FlipBitIn(program.data(), marked.inputs().data());
}

}  // namespace

void ServeBesideDamage(Report& report) {
  report.Describe(
      "Damage: one model has lost the end of its log, and one bit in that of another is flipped.");
  Program program;
  const Stretch quiet = TakeQuietAndKill(program);
  Damage(program);
  (void)StartAndAwaitBystander(program);
  int lost = 0, named = 0;
  {
    Bystander bystander(program.grpc(), program.http(), program.child().pid());
    std::this_thread::sleep_for(kBeside);
    AddBeside(kName, bystander.Take(), quiet, report);
    for (const char* id : {"flipped", "cut"}) {
      const grpc::Status status = Ask(program, id, kColumns);
      if (status.error_code() == grpc::StatusCode::DATA_LOSS) ++lost;
    }
  }
  AddLog(kName, program, report);
  const std::string log = program.child().errors();
  for (const char* id : {"flipped", "cut"}) {
    if (log.find(absl::StrCat("models/", id, " does not serve: ")) != std::string::npos) ++named;
  }
  const auto both = [&](const char* what, int count) {
    report.Add({absl::StrCat(kName, ": ", what), static_cast<double>(count), 0, 2,
                Direction::kAtLeast, ""});
  };
  both("damaged models that answer DATA_LOSS", lost);
  both("damaged models that the server's log names", named);
}

}  // namespace prequel::accept
