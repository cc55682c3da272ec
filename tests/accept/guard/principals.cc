#include "tests/accept/guard/principals.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/guard/attacks/greed.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/entrance.h"
#include "tests/accept/guard/papers.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/ready_line.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kOthers = 99;
constexpr milliseconds kPause(100);  // so that there is room for all of them
constexpr seconds kWarmUp(2), kAlone(5), kBeside(10);
constexpr int kRows = 64, kNarrow = 8, kWide = 600;

std::string NameOf(int i) { return absl::StrCat("p-", i); }

std::vector<Papers::Principal> Principals() {
  std::vector<Papers::Principal> principals = {{"admin", "admin", "*"}, {"greedy", "learn", "g-*"}};
  for (int i = 0; i < kOthers; ++i) principals.push_back({NameOf(i), "learn", NameOf(i)});
  return principals;
}

// The others: each learns and predicts, one call after the other, with a pause.
class Others {
 public:
  Others(const Papers& papers, const std::string& server) {
    for (int i = 0; i < kOthers; ++i) {
      threads_.emplace_back([this, i, entrance = papers.EntranceOf(NameOf(i), server)] {
        const auto stub = LearningStub(entrance);
        while (!stop_) {
          const bool learned = Learn(*stub, NameOf(i), kRows, kNarrow).ok();
          const bool predicted = Predict(*stub, NameOf(i), kNarrow, 0).ok();
          calls_ += 2;
          if (!learned || !predicted) ++refused_;
          std::this_thread::sleep_for(kPause);
        }
      });
    }
  }
  ~Others() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  double PerSecond(seconds time) {
    const int before = calls_;
    std::this_thread::sleep_for(time);
    return (calls_ - before) / std::chrono::duration<double>(time).count();
  }
  int refused() const { return refused_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> calls_ = 0, refused_ = 0;
  std::vector<std::thread> threads_;
};

// In `time`, once it has had the time to begin.
Takings TakingsIn(const Greed& greed, seconds time) {
  std::this_thread::sleep_for(kWarmUp);
  const Takings before = greed.takings();
  std::this_thread::sleep_for(time);
  return greed.takings() - before;
}

// What the greedy one gets: of one who asks for nothing, nobody needs to be kept.
void AddTakings(const Takings& alone, const Takings& beside, Report& report) {
  const auto per_second = [](std::int64_t calls, seconds time) {
    return static_cast<double>(calls) / std::chrono::duration<double>(time).count();
  };
  const auto add = [&](const std::string& what, std::int64_t Takings::*which, double least) {
    report.Add({what + " of the greedy one beside them", per_second(beside.*which, kBeside), 0,
                least, Direction::kAtLeast, "fewer are no greed"});
    report.Add({what + " of the greedy one alone", per_second(alone.*which, kAlone), 0, 0,
                Direction::kReported, ""});
  };
  add("minibatches a second", &Takings::learned, 1);
  add("answers of 1,000 samples a second", &Takings::sampled, 1);
  report.Add({"calls of the greedy one refused", static_cast<double>(beside.refused), 0, 0,
              Direction::kReported, ""});
}

}  // namespace

void BearGreed(Report& report) {
  report.Section("a hundred principals, one of whom is greedy");
  report.Describe(absl::StrCat(kOthers, " learn 64 rows of 8 columns and predict, with a pause of ",
                               kPause.count(), " ms; the last learns 64 rows of ", kWide,
                               " columns and asks for 1,000 samples, without a pause, from 32 "
                               "threads of a process that takes the processor time that is left. "
                               "TLS and tokens."));
  const ScratchFolder folder;
  const Papers papers(folder.path() + "/papers", Principals());
  std::vector<std::string> command = {PREQUELD, "--data-dir=" + folder.path() + "/data",
                                      "--listen=127.0.0.1:0", "--http=127.0.0.1:0",
                                      "--max-connections-per-peer=0"};
  for (const std::string& flag : papers.Flags()) command.push_back(flag);
  ChildProcess program(command);
  const std::string server = ReadReadyLine(program).grpc;
  const Entrance admin = papers.EntranceOf("admin", server);
  for (int i = 0; i < kOthers; ++i) MustCreate(admin, NameOf(i), Linear(kNarrow));
  for (int i = 0; i < 2; ++i) MustCreate(admin, absl::StrCat("g-", i), Linear(kWide));
  const auto greed = [entrance = papers.EntranceOf("greedy", server)] {
    return std::make_unique<Greed>(entrance,
                                   Greed::Wants{.what = "samples", .models = "g", .threads = 32});
  };
  const Takings alone = TakingsIn(*greed(), kAlone);
  Others others(papers, server);
  (void)others.PerSecond(kWarmUp);
  const double others_alone = others.PerSecond(kAlone);
  const std::unique_ptr<Greed> beside_them = greed();
  std::this_thread::sleep_for(kWarmUp);
  const Takings before = beside_them->takings();
  const double others_beside = others.PerSecond(kBeside);
  const Takings beside = beside_them->takings() - before;
  report.Add({"calls a second of the others beside the greedy one, over alone",
              others_beside / others_alone, 0, 0.8, Direction::kAtLeast, ""});
  report.Add({"calls of the others refused", static_cast<double>(others.refused()), 0, 0,
              Direction::kAtMost, ""});
  report.Add({"calls a second of the others alone", others_alone, 0, 0, Direction::kReported, ""});
  AddTakings(alone, beside, report);
}

}  // namespace prequel::accept
