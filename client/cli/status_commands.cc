#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/output/comparisons.h"
#include "client/cli/output/drift_text.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/running_scores.h"
#include "client/cli/output/spread_warning.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

absl::Status Evaluate(const std::string& name, const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<v1::GetEvaluationResponse> evaluation = client.GetEvaluation(name);
  if (!evaluation.ok()) return evaluation.status();
  if (session.json) {
    std::cout << ToJson(*evaluation) << "\n";
    return absl::OkStatus();
  }
  std::cout << client::ModelName(name) << " at revision " << Count(evaluation->revision()) << "\n";
  const v1::Scores& cumulative = evaluation->cumulative();
  if (cumulative.examples() <= 0) {
    std::cout << "nothing scored yet\n";
    return absl::OkStatus();
  }
  const auto length = static_cast<long long>(evaluation->window_length());
  Table table({"", "all", absl::StrCat("last ~", Count(length))});
  table.Add({"examples", Count(std::llround(cumulative.examples())),
             Count(std::llround(evaluation->window().examples()))});
  for (const v1::Score& score : cumulative.scores()) {
    const std::optional<double> recent = client::FindScore(evaluation->window(), score.name());
    table.Add({score.name(), Number(score.value()), recent.has_value() ? Number(*recent) : "-"});
  }
  std::cout << table.Text() << ComparisonText(*evaluation) << DriftText(*evaluation)
            << AlarmText(*evaluation) << SpreadWarning(client::ModelName(name), cumulative)
            << SkillWarning(client::ModelName(name), *evaluation);
  if (evaluation->skipped_rows() > 0) {
    std::cout << Count(evaluation->skipped_rows()) << " rows skipped: no target\n";
  }
  if (evaluation->unscored_rows() > 0) {
    std::cout << Count(evaluation->unscored_rows())
              << " rows unscored: learned before a predictive existed\n";
  }
  return absl::OkStatus();
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

void AddEval(CLI::App& app, Session& session) {
  AddModelSubcommand(app, session, "eval", "Show a model's prequential evaluation", Evaluate);
}

void AddHealth(CLI::App& app, Session& session) {
  const auto wait = std::make_shared<double>(0);
  AddSubcommand(app, session, "health", "Ask whether the server is serving", wait, Health)
      .add_option("--wait", *wait, "keep asking for this many seconds");
}

}  // namespace prequel::cli
