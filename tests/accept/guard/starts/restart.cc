#include "tests/accept/guard/starts/restart.h"

#include <chrono>
#include <memory>
#include <thread>

#include "tests/accept/guard/bystander_rows.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/entrance.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

constexpr std::chrono::minutes kLongest(1);
constexpr std::chrono::milliseconds kPause(5);

}  // namespace

Stretch TakeQuietAndKill(Program& program) {
  Stretch quiet;
  {
    Bystander bystander(program.grpc(), program.http(), program.child().pid());
    quiet = TakeQuiet(bystander);
  }
  program.Kill();
  return quiet;
}

double StartAndAwaitBystander(Program& program) {
  return Seconds([&] {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    program.Start();
    while (!Ask(program, "bystander", kServedInputs).ok() &&
           std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kPause);
    }
  });
}

grpc::Status Ask(const Program& program, const std::string& id, int columns) {
  return Predict(*LearningStub({program.grpc()}), id, columns, 0);
}

}  // namespace prequel::accept
