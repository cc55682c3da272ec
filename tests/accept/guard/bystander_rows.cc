#include "tests/accept/guard/bystander_rows.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

constexpr double kNever = 1e9;

double Ratio(const std::vector<double>& now, const std::vector<double>& quiet) {
  if (now.empty() || quiet.empty()) return kNever;
  return Quantile(now, 0.99) / Quantile(quiet, 0.99);
}

double Slowest(const std::vector<double>& calls) {
  return calls.empty() ? kNever : *std::max_element(calls.begin(), calls.end());
}

double PerSecond(const std::vector<double>& calls, const Stretch& stretch) {
  return static_cast<double>(calls.size()) / stretch.seconds;
}

}  // namespace

Stretch TakeQuiet(Bystander& bystander) {
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  (void)bystander.Take();
  std::this_thread::sleep_for(kQuiet);
  return bystander.Take();
}

void AddBeside(const std::string& name, const Stretch& beside, const Stretch& quiet,
               Report& report) {
  const std::string setting =
      absl::StrCat(beside.predict.size(), " Predicts and ", beside.learn.size(),
                   " Learns beside it", beside.refusal.empty() ? "" : "; " + beside.refusal);
  const auto add = [&](const char* what, double value, double target) {
    report.Add({absl::StrCat(name, ": ", what), value, 0, target, Direction::kAtMost, setting});
  };
  add("p99 of Predict over quiet", Ratio(beside.predict, quiet.predict), 20);
  add("p99 of Learn over quiet", Ratio(beside.learn, quiet.learn), 20);
  // One that waits to the end is in no quantile.
  report.Add({absl::StrCat(name, ": Predicts a second over quiet"),
              PerSecond(beside.predict, beside) / PerSecond(quiet.predict, quiet), 0, 0.05,
              Direction::kAtLeast, ""});
  add("calls of the bystander refused", beside.refused, 0);
  add("slowest probe in seconds", Slowest(beside.probe), 1);
  add("memory over the budget",
      static_cast<double>(beside.resident) / static_cast<double>(Program::kMemory), 1.1);
}

void AddAfter(const std::string& name, Bystander& bystander, const Stretch& quiet, Report& report) {
  std::this_thread::sleep_for(kRecovery);
  const Stretch recovering = bystander.Take();
  std::this_thread::sleep_for(kAfter);
  const Stretch after = bystander.Take();
  const auto add = [&](const char* what, double value, double target, const std::string& setting) {
    report.Add({absl::StrCat(name, ": ", what), value, 0, target, Direction::kAtMost, setting});
  };
  add("p99 of Predict over quiet, 5 s after", Ratio(after.predict, quiet.predict), 5, "");
  add("p99 of Learn over quiet, 5 s after", Ratio(after.learn, quiet.learn), 5, "");
  add("slowest probe in seconds, 5 s after", Slowest(after.probe), 1, "");
  add("calls of the bystander refused since its end", recovering.refused + after.refused, 0,
      after.refusal.empty() ? recovering.refusal : after.refusal);
  report.Add({absl::StrCat(name, ": GB of memory 5 s after"),
              static_cast<double>(after.resident) / 1e9, 0, 0, Direction::kReported, ""});
}

void AddLog(const std::string& name, Program& program, Report& report) {
  program.Kill();
  report.Add({absl::StrCat(name, ": lines of the server's log a second"), program.log_lines(), 0,
              10, Direction::kAtMost, ""});
}

}  // namespace prequel::accept
