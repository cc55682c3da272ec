#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/output/comparisons.h"
#include "client/cli/output/model_state.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"

namespace prequel::cli {
namespace {

// Its skill and the causes of its raised alarms; dashes where its evaluation cannot be had.
std::vector<std::string> DoingOf(const v1::Model& model, client::Client& client) {
  if (!model.serving()) return {"-", "-"};
  const absl::StatusOr<v1::GetEvaluationResponse> evaluation = client.GetEvaluation(model.name());
  if (!evaluation.ok()) return {"-", "-"};
  std::vector<std::string> raised;
  for (const v1::Alarm& alarm : evaluation->alarms()) {
    if (alarm.raised()) raised.push_back(alarm.cause());
  }
  return {Number(SkillOf(*evaluation)), raised.empty() ? "-" : absl::StrJoin(raised, ", ")};
}

absl::Status List(const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<std::vector<v1::Model>> models = client.ListAllModels();
  if (!models.ok()) return models.status();
  if (session.json) {
    v1::ListModelsResponse all;
    for (const v1::Model& model : *models) *all.add_models() = model;
    std::cout << ToJson(all) << "\n";
    return absl::OkStatus();
  }
  if (models->empty()) {
    std::cout << "no models yet; `prequel create --help` shows how to make one\n";
    return absl::OkStatus();
  }
  Table table({"NAME", "MODEL", "LIKELIHOOD", "POSTERIOR", "RULE", "PARAMETERS", "REVISION",
               "EXAMPLES", "STATE", "SKILL", "ALARMS"});
  for (const v1::Model& model : *models) {
    const v1::ModelConfig& config = model.config();
    std::vector<std::string> row = {model.name(),
                                    config.model().name(),
                                    config.likelihood().name(),
                                    config.posterior().name(),
                                    config.rule().name(),
                                    Count(model.num_parameters()),
                                    model.serving() ? Count(model.revision()) : "-",
                                    model.serving() ? Count(model.examples()) : "-",
                                    StateName(model)};
    for (std::string& cell : DoingOf(model, client)) row.push_back(std::move(cell));
    table.Add(std::move(row));
  }
  std::cout << table.Text();
  return absl::OkStatus();
}

}  // namespace

void AddList(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand("list",
                                          "List all models, with their skill (by how much the nll "
                                          "of the last label is above theirs, of "
                                          "late) and what has changed");
  command.callback([&session] { session.action = [&session] { return List(session); }; });
}

}  // namespace prequel::cli
