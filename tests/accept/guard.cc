#include "tests/accept/guard.h"

#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/chaos/chaos.h"
#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/attacks/greed.h"
#include "tests/accept/guard/attacks/idle_connections.h"
#include "tests/accept/guard/bystander.h"
#include "tests/accept/guard/bystander_rows.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/cost.h"
#include "tests/accept/guard/entrance.h"
#include "tests/accept/guard/principals.h"
#include "tests/accept/guard/program.h"
#include "tests/accept/guard/starts/starts.h"
#include "tests/accept/guard/streams.h"
#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

// `before`: in the server's process, before it runs.
void Bear(const NamedAttack& attack, const std::function<void()>& before, Report& report) {
  const char* only = std::getenv("PREQUEL_ATTACK");  // a part of its name
  if (only != nullptr && std::string(attack.name).find(only) == std::string::npos) return;
  Program program({}, before);
  {
    Bystander bystander(program.grpc(), program.http(), program.child().pid());
    const Stretch quiet = TakeQuiet(bystander);
    std::unique_ptr<Attack> under_way =
        attack.make({.address = program.grpc(), .http = program.http()});
    std::this_thread::sleep_for(kBeside);
    const Stretch beside = bystander.Take();
    AddBeside(attack.name, beside, quiet, report);
    if (attack.least_strikes > 0) {
      report.Add({absl::StrCat(attack.name, ": strikes a second"),
                  static_cast<double>(under_way->strikes()) / beside.seconds, 0,
                  static_cast<double>(attack.least_strikes), Direction::kAtLeast,
                  "fewer are no attack"});
    }
    under_way.reset();
    AddAfter(attack.name, bystander, quiet, report);
  }
  AddLog(attack.name, program, report);
}

// As many as a shell gives without being asked for more, and no right to more.
void HaveFewDescriptors() {
  const rlimit limit{1024, 1024};
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// Rows a second of the light model.
double LightSpeed(v1::LearningService::Stub& stub, seconds time) {
  constexpr int kRows = 64;
  const auto end = steady_clock::now() + time;
  int learned = 0;
  while (steady_clock::now() < end) {
    if (Learn(stub, "light", kRows, 8).ok()) ++learned;
  }
  return kRows * learned / std::chrono::duration<double>(time).count();
}

// How often a second `count` grows.
template <class Count>
double SpeedOf(const Count& count, seconds time) {
  const auto before = count();
  std::this_thread::sleep_for(time);
  return static_cast<double>(count() - before) / std::chrono::duration<double>(time).count();
}

// Minibatches a second that the heavy models learn.
double HeavySpeed(const Greed& greed, seconds time) {
  return SpeedOf([&] { return greed.takings().learned; }, time);
}

}  // namespace

void BearAttacks(Report& report) {
  report.Section("a bystander beside those who do not behave well");
  report.Describe(
      "A server with --memory of 1 GiB; a bystander predicts and learns 256 rows of 16 columns, "
      "one call after the other, quiet for 4 s, then for 8 s beside the attack, and from 5 s after "
      "it for 4 s.");
  for (const NamedAttack& attack : Attacks()) Bear(attack, {}, report);
  const NamedAttack idle = {
      "1,200 idle connections to a server of 1,024 descriptors",
      [](const Entrance& server) { return std::make_unique<IdleConnections>(server, 1200); }, 50};
  Bear(idle, HaveFewDescriptors, report);
}

void ShareEvenly(Report& report) {
  constexpr int kCrowd = 64;
  report.Section("models of cost 1 : 1,000 side by side");
  report.Describe(
      "One client learns 64 rows of 8 columns at a time, beside 8 that learn 64 rows of 600, from "
      "a process that takes the processor time that is left.");
  Program program;
  const std::string& server = program.grpc();
  MustCreate({server}, "light", Linear(8));
  const auto stub = LearningStub({server});
  (void)LightSpeed(*stub, seconds(1));
  const double alone = LightSpeed(*stub, seconds(4));
  for (int i = 0; i < 2; ++i) MustCreate({server}, absl::StrCat("heavy-", i), Linear(600));
  const Greed greed({server}, {.models = "heavy", .threads = 8});
  std::this_thread::sleep_for(seconds(2));
  const Takings before = greed.takings();
  constexpr seconds kTogether(8);
  const double beside = LightSpeed(*stub, kTogether);
  const auto heavy = static_cast<double>((greed.takings() - before).learned);
  report.Add({"rows a second of the light model beside two heavy ones, over alone", beside / alone,
              0, 0.4, Direction::kAtLeast, ""});
  report.Add({"minibatches a second of the heavy ones meanwhile",
              heavy / std::chrono::duration<double>(kTogether).count(), 0, 5, Direction::kAtLeast,
              "fewer are no load"});
  report.Add({"rows a second of the light model alone", alone, 0, 0, Direction::kReported, ""});

  const double heavy_alone = HeavySpeed(greed, seconds(5));
  // Clients enough to fill all cores.
  std::vector<std::unique_ptr<v1::LearningService::Stub>> stubs;
  for (int i = 0; i < kCrowd; ++i) stubs.push_back(LearningStub({server}));
  const auto heavy_beside = [&](const char* what, const auto& call) {
    const Repeating crowd(
        kCrowd, [&](int thread) { (void)call(*stubs[static_cast<std::size_t>(thread)]); });
    report.Add({absl::StrCat("minibatches a second of the heavy ones beside ", kCrowd,
                             " clients that ", what, ", over alone"),
                HeavySpeed(greed, seconds(10)) / heavy_alone, 0, 0.05, Direction::kAtLeast, ""});
  };
  heavy_beside("teach the light one", [](auto& calls) { return Learn(calls, "light", 64, 8); });
  heavy_beside("ask the light one", [](auto& calls) { return Predict(calls, "light", 8, 0); });
}

// What takes long, beside those that always have more to learn.
void ShareWithStreams(Report& report) {
  constexpr int kHeavy = 600, kLight = 3;
  constexpr seconds kTime(10);
  report.Section("what takes long beside four streams that never wait");
  report.Describe(
      "A LearnStream of minibatches of 64 rows of 600 columns, then a client who asks for 1,000 "
      "samples of 4 rows of these, one call after the other: alone, and beside four LearnStreams "
      "of 3 columns, whose models follow a world that moves.");
  Program program;
  const Entrance server{program.grpc()};
  MustCreate(server, "heavy", Linear(kHeavy));
  std::vector<std::string> light;
  for (int i = 0; i < 4; ++i) {
    light.push_back(absl::StrCat("light-", i));
    v1::ModelConfig config = Linear(kLight);
    config.clear_dynamics();  // by default: their turns are what fills the cores
    MustCreate(server, light.back(), config);
  }
  const auto compare = [&](const char* what, const auto& count) {
    std::this_thread::sleep_for(seconds(2));
    const double alone = SpeedOf(count, kTime);
    for (const int rows : {8, 64}) {
      const Streams streams(server, light, rows, kLight);
      std::this_thread::sleep_for(seconds(2));
      std::int64_t learned = streams.learned();
      const double beside = SpeedOf(count, kTime);
      learned = streams.learned() - learned;
      report.Add({absl::StrCat(what, " beside streams of ", rows, " rows, over alone"),
                  beside / alone, 0, 0.05, Direction::kAtLeast,
                  absl::StrCat(learned / kTime.count(), " minibatches a second of the streams")});
    }
  };
  {
    const Streams heavy(server, {"heavy"}, 64, kHeavy);
    compare("minibatches of a heavy stream", [&] { return heavy.learned(); });
  }
  std::atomic<std::int64_t> answers = 0;
  const auto stub = LearningStub(server);
  const Repeating asking(1, [&](int) { answers += Predict(*stub, "heavy", kHeavy, 1000).ok(); });
  compare("answers by 1,000 samples", [&] { return answers.load(); });
}

// Programs of others that take whatever the processor gives them.
class Spinning {
 public:
  explicit Spinning(int programs) {
    for (int i = 0; i < programs; ++i) {
      pids_.push_back(fork());
      if (pids_.back() != 0) continue;
      for (std::atomic<int> turns = 0;; ++turns) {
      }
    }
  }
  ~Spinning() {
    for (const pid_t pid : pids_) {
      (void)kill(pid, SIGKILL);
      (void)waitpid(pid, nullptr, 0);
    }
  }
  Spinning(const Spinning&) = delete;
  Spinning& operator=(const Spinning&) = delete;

 private:
  std::vector<pid_t> pids_;
};

// Heavy work is in the background of this server, and not of all that runs on the machine.
void ShareWithOthers(Report& report) {
  constexpr int kInputs = 30, kRows = 64;
  constexpr seconds kTime(10);
  report.Section("what takes long beside two programs that spin");
  report.Describe(
      "A LearnStream of minibatches of 64 rows of 30 columns, whose model is a network of counts "
      "as it is by default: alone, and beside two processes of normal priority that never stop.");
  Program program;
  const Entrance server{program.grpc()};
  v1::ModelConfig config = Linear(kInputs);
  config.clear_dynamics();
  config.clear_posterior();
  config.mutable_model()->set_name("mlp");
  config.mutable_likelihood()->set_name("negative_binomial");
  MustCreate(server, "heavy", config);
  const Streams heavy(server, {"heavy"}, kRows, kInputs);
  std::this_thread::sleep_for(seconds(2));
  const double alone = SpeedOf([&] { return heavy.learned(); }, kTime);
  const Spinning spinning(2);
  std::this_thread::sleep_for(seconds(2));
  const double beside = SpeedOf([&] { return heavy.learned(); }, kTime);
  report.Add({"minibatches of a heavy stream beside two spinning processes, over alone",
              beside / alone, 0, 0.25, Direction::kAtLeast,
              absl::StrCat(alone, " minibatches a second alone")});
}

void StopAtOnce(Report& report) {
  report.Section("deleting and stopping beside a backlog");
  Program program;
  const std::string& server = program.grpc();
  const auto flood = [&](const std::string& id) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 40; ++i) {
      threads.emplace_back([&server, id] {
        const auto stub = LearningStub({server});
        (void)Learn(*stub, id, 64, 1200);
      });
    }
    return threads;
  };
  MustCreate({server}, "deleted", Linear(1200));
  std::vector<std::thread> callers = flood("deleted");
  std::this_thread::sleep_for(seconds(3));
  const double answered = Seconds([&] {
    (void)Delete({server}, "deleted");
    for (std::thread& caller : callers) caller.join();
  });
  std::this_thread::sleep_for(seconds(1));
  const double before = ProcessorSecondsOf(program.child().pid());
  std::this_thread::sleep_for(seconds(2));
  const double spent = ProcessorSecondsOf(program.child().pid()) - before;
  report.Add({"seconds from DeleteModel to the last answer to its backlog of 40", answered, 0, 4,
              Direction::kAtMost, "updates of about a second"});
  report.Add({"processor seconds in 2 s, 1 s after", spent, 0, 0.5, Direction::kAtMost, ""});

  MustCreate({server}, "stopped", Linear(1200));
  callers = flood("stopped");
  std::this_thread::sleep_for(seconds(2));
  program.child().Signal(SIGTERM);
  int code = 0;
  const double stopping = Seconds([&] { code = program.child().Wait(); });
  for (std::thread& caller : callers) caller.join();
  report.Add({"seconds from SIGTERM to the end, --drain-seconds 2", stopping, 0,
              std::chrono::duration<double>(Program::kDrain).count() + 2, Direction::kAtMost, ""});
  report.Add({"exit code", static_cast<double>(code), 0, 0, Direction::kAtMost, ""});
}

bool RunGuard(const std::string& name, Report& report) {
  if (name != "guard" && name.rfind("guard.", 0) != 0) return false;
  const std::string part = name.size() > 6 ? name.substr(6) : "";
  if (part.empty() || part == "attacks") BearAttacks(report);
  if (part.empty() || part == "starts") BearStarts(report);
  if (part.empty() || part == "fairness") {
    ShareEvenly(report);
    ShareWithStreams(report);
    ShareWithOthers(report);
  }
  if (part.empty() || part == "greed") BearGreed(report);
  if (part.empty() || part == "stopping") StopAtOnce(report);
  if (part.empty() || part == "cost") MeasureCost(report);
  if (part == "chaos") BearChaos(report);  // an hour: only by its name
  return true;
}

}  // namespace prequel::accept
