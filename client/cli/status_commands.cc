// Whether models learn, and whether the server serves: watch, health.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/commands.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/output/written.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

constexpr std::size_t kWatchWidth = 12;

struct WatchFlags {
  std::string name;
  double interval_seconds = 0;
  std::int64_t count = 0;  // of evaluations; 0: until it is interrupted
};

std::string TimeNow() {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::Now(), absl::UTCTimeZone());
}

std::string WatchHeader(const v1::Scores& scores) {
  std::vector<std::string> cells = {"revision", "rows"};
  for (int i = 0; i < std::min(2, scores.scores_size()); ++i) {
    cells.push_back(scores.scores(i).name());
  }
  cells.insert(cells.end(), {"nll of last", "drift"});
  return absl::StrFormat("%-19s  %s", "time (UTC)", FixedRow(cells, kWatchWidth));
}

// The scores of the recent past; of a model that has none, a line that says so.
std::string WatchLine(const v1::GetEvaluationResponse& evaluation) {
  const v1::Scores& scores = evaluation.window();
  std::vector<std::string> cells = {Count(evaluation.revision()),
                                    Count(std::llround(evaluation.cumulative().examples()))};
  if (scores.examples() <= 0) {
    return absl::StrCat(TimeNow(), "  ", cells[0], ": nothing scored yet\n");
  }
  for (int i = 0; i < std::min(2, scores.scores_size()); ++i) {
    cells.push_back(Number(scores.scores(i).value()));
  }
  std::optional<double> last;
  for (const v1::Comparison& comparison : evaluation.comparisons()) {
    if (comparison.name() == "last") last = client::FindScore(comparison.window(), "nll");
  }
  cells.push_back(Number(last));
  cells.push_back(evaluation.has_drift() ? Number(evaluation.drift().rate()) : "-");
  std::string line = absl::StrCat(TimeNow(), "  ", FixedRow(cells, kWatchWidth));
  line.pop_back();
  for (const v1::Alarm& alarm : evaluation.alarms()) {
    if (alarm.raised()) absl::StrAppend(&line, "  ", alarm.cause());
  }
  return line + "\n";
}

absl::Status Watch(const WatchFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  const auto interval = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(flags.interval_seconds));
  std::int64_t shown = 0;
  bool headed = false;
  absl::Status written;
  const auto show = [&](const v1::GetEvaluationResponse& evaluation) {
    if (session.json) {
      std::cout << ToJson(evaluation, true) << "\n";
    } else {
      if (!headed && evaluation.window().examples() > 0) {
        std::cout << WatchHeader(evaluation.window());
        headed = true;
      }
      std::cout << WatchLine(evaluation);
    }
    written = Written(std::cout, "");
    return written.ok() && ++shown != flags.count;
  };
  absl::Status status = client.WatchEvaluation(flags.name, interval, show);
  return status.ok() ? written : status;
}

// Asks until the server serves or `wait_seconds` have passed.
absl::StatusOr<bool> AskHealth(const Session& session, double wait_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(wait_seconds));
  client::Client client(session.client_options());
  for (;;) {
    absl::StatusOr<bool> serving = client.CheckHealth();
    const bool settled = serving.ok() ? *serving : !absl::IsUnavailable(serving.status());
    if (settled || Clock::now() >= end) return serving;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

absl::Status Health(const double& wait_seconds, const Session& session) {
  absl::StatusOr<bool> serving = AskHealth(session, wait_seconds);
  if (!serving.ok()) return serving.status();
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("server").String(session.server);
    json.Key("serving").Bool(*serving).EndObject();
    std::cout << json.text() << "\n";
  } else {
    std::cout << session.server << (*serving ? " is serving\n" : " is not serving\n");
  }
  return *serving ? absl::OkStatus() : ExitWith(kRefused);
}

}  // namespace

void AddWatch(CLI::App& app, Session& session) {
  const auto flags = std::make_shared<WatchFlags>();
  CLI::App& command = AddSubcommand(
      app, session, "watch", "Show a model's evaluation now, and again whenever it has learned",
      flags, Watch);
  command.add_option("name", flags->name, "the model")->required();
  command
      .add_option("--interval", flags->interval_seconds,
                  "seconds between two lines, at least; the server has a bound of its own")
      ->check(CLI::Range(0.0, 86400.0));
  command.add_option("--count", flags->count, "lines, then it ends; 0: until Ctrl-C")
      ->check(CLI::NonNegativeNumber);
}

void AddHealth(CLI::App& app, Session& session) {
  const auto wait = std::make_shared<double>(0);
  AddSubcommand(app, session, "health", "Ask whether the server is serving", wait, Health)
      .add_option("--wait", *wait, "keep asking for this many seconds");
}

}  // namespace prequel::cli
