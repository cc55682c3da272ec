#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/commands.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/model_state.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::cli {
namespace {

std::string ValueText(const google::protobuf::Value& value) {
  if (value.kind_case() == google::protobuf::Value::kStringValue) return value.string_value();
  std::string json = ToJson(value);
  json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
  json.erase(std::remove(json.begin(), json.end(), ' '), json.end());
  return json;
}

// "mlp (activation=tanh, hidden=[32])", options sorted.
std::string ComponentText(const v1::Component& component) {
  std::vector<std::string> options;
  for (const auto& [key, value] : component.options().fields()) {
    options.push_back(absl::StrCat(key, "=", ValueText(value)));
  }
  for (const auto& [key, tensor] : component.arrays()) {
    options.push_back(absl::StrCat(key, "=[", absl::StrJoin(tensor.shape(), " × "), " numbers]"));
  }
  std::sort(options.begin(), options.end());
  if (options.empty()) return component.name();
  return absl::StrCat(component.name(), " (", absl::StrJoin(options, ", "), ")");
}

std::string FeatureText(const v1::Feature& feature) {
  std::string text = feature.name();
  if (feature.width() > 1) absl::StrAppend(&text, ":", feature.width());
  if (feature.kind() == v1::Feature::KIND_CATEGORICAL) absl::StrAppend(&text, ":text");
  if (feature.allow_missing()) absl::StrAppend(&text, "?");
  return text;
}

std::string FeaturesText(const v1::ModelConfig& config) {
  constexpr int kShown = 24;
  std::vector<std::string> texts;
  for (const v1::Feature& feature : config.features()) texts.push_back(FeatureText(feature));
  const bool cut = texts.size() > kShown;
  if (cut) texts.resize(kShown);
  return absl::StrJoin(texts, ", ") +
         (cut ? absl::StrCat(", … (", config.features_size(), " features)") : "");
}

std::string LabelsText(const v1::Model& model) {
  const int room = static_cast<int>(model.config().target().num_classes()) - model.labels_size();
  return absl::StrJoin(model.labels(), ", ") +
         (room > 0 ? absl::StrCat(" (room for ", room, " more)") : "");
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

absl::Status Describe(const std::string& name, const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<v1::Model> model = client.GetModel(name);
  if (!model.ok()) return model.status();
  if (session.json) {
    std::cout << ToJson(*model) << "\n";
    return absl::OkStatus();
  }
  const v1::ModelConfig& config = model->config();
  Table table({});
  table.Add({"name", model->name()});
  table.Add({"created", TimeText(model->create_time())});
  table.Add({"inputs", FeaturesText(config)});
  table.Add({"target", config.target().name()});
  if (!model->labels().empty()) table.Add({"labels", LabelsText(*model)});
  table.Add({"model", ComponentText(config.model())});
  table.Add({"likelihood", ComponentText(config.likelihood())});
  table.Add({"prior", ComponentText(config.prior())});
  table.Add({"posterior", ComponentText(config.posterior())});
  table.Add({"rule", ComponentText(config.rule())});
  table.Add({"dynamics", ComponentText(config.dynamics())});
  table.Add({"calibration", ComponentText(config.calibration())});
  table.Add({"robustness", ComponentText(config.robustness())});
  table.Add({"seed", absl::StrCat(config.seed())});
  table.Add({"parameters", absl::StrCat(Count(model->num_parameters()), " over ",
                                        Count(model->num_inputs()), " encoded inputs")});
  if (model->serving()) {
    table.Add({"revision", absl::StrCat(Count(model->revision(), "minibatch", "minibatches"), ", ",
                                        Count(model->examples(), "example", "examples"))});
  }
  table.Add({"state", StateText(*model)});
  std::cout << table.Text();
  return absl::OkStatus();
}

absl::Status Delete(const std::string& name, const Session& session) {
  client::Client client(session.client_options());
  if (absl::Status status = client.DeleteModel(name); !status.ok()) return status;
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("deleted").String(client::ModelName(name)).EndObject();
    std::cout << json.text() << "\n";
  } else {
    std::cout << "deleted " << client::ModelName(name) << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

void AddDescribe(CLI::App& app, Session& session) {
  AddModelSubcommand(app, session, "describe", "Show a model's config and state", Describe);
}

void AddDelete(CLI::App& app, Session& session) {
  AddModelSubcommand(app, session, "delete", "Delete a model and all it learned", Delete);
}

}  // namespace prequel::cli
