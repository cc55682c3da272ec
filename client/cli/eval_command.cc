#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/commands.h"
#include "client/cli/output/evaluation_text.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::cli {
namespace {

using Names = std::vector<std::string>;

// One object with each model's evaluation by its name.
absl::StatusOr<std::string> ByName(const std::vector<NamedEvaluation>& evaluations) {
  google::protobuf::Struct all;
  for (const auto& [model, evaluation] : evaluations) {
    google::protobuf::Value& value = (*all.mutable_fields())[model];
    if (absl::Status status = FromJson(ToJson(evaluation), &value); !status.ok()) return status;
  }
  return ToJson(all);
}

absl::Status Evaluate(const Names& names, const Session& session) {
  client::Client client(session.client_options());
  std::vector<NamedEvaluation> evaluations;
  for (const std::string& name : names) {
    absl::StatusOr<v1::GetEvaluationResponse> evaluation = client.GetEvaluation(name);
    if (!evaluation.ok()) return evaluation.status();
    evaluations.emplace_back(client::ModelName(name), *std::move(evaluation));
  }
  const bool one = evaluations.size() == 1;
  if (session.json) {
    absl::StatusOr<std::string> json =
        one ? ToJson(evaluations.front().second) : ByName(evaluations);
    if (!json.ok()) return json.status();
    std::cout << *json << "\n";
  } else {
    std::cout << (one ? EvaluationText(evaluations.front()) : SideBySideText(evaluations));
  }
  return absl::OkStatus();
}

}  // namespace

void AddEval(CLI::App& app, Session& session) {
  const auto names = std::make_shared<Names>();
  CLI::App& command = AddSubcommand(
      app, session, "eval",
      "Show a model's prequential evaluation; of several models, one table of their scores. Scores "
      "are as if each label were known before the next question",
      names, Evaluate);
  command.add_option("name", *names, "the model, or several")->required();
}

}  // namespace prequel::cli
