#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/batch_source.h"
#include "client/cli/commands.h"
#include "client/cli/config/config_difference.h"
#include "client/cli/config/config_flags.h"
#include "client/cli/config/name_list.h"
#include "client/cli/config/weights_file.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/data/schema_inference.h"

namespace prequel::cli {
namespace {

constexpr std::string_view kText = ":text";

struct CreateFlags {
  std::string name;
  std::string config_path;
  std::string csv_path;
  client::CsvHeader header = client::CsvHeader::kGuess;
  std::string ignore, text;
  std::string weights_path, variances_path;
  bool dry_run = false;
  bool exist_ok = false;
  ConfigFlags config;
};

absl::Status ReadNames(const CreateFlags& flags, client::InferenceOptions& options) {
  struct List {
    const char* flag;
    const std::string& text;
    std::vector<std::string>& names;
  };
  for (const List& list : {List{"--labels", flags.config.labels, options.labels},
                           List{"--text", flags.text, options.text},
                           List{"--inputs", flags.config.inputs, options.inputs},
                           List{"--ignore", flags.ignore, options.ignore}}) {
    absl::StatusOr<std::vector<std::string>> names = NameList(list.flag, list.text);
    if (!names.ok()) return names.status();
    list.names = *std::move(names);
  }
  for (std::string& input : options.inputs) {
    if (!input.ends_with(kText)) continue;
    input.resize(input.size() - kText.size());
    options.text.push_back(input);
  }
  const absl::StatusOr<std::vector<HashedInput>> hashed = HashedInputs(flags.config.hash_buckets);
  if (!hashed.ok()) return hashed.status();
  for (const HashedInput& input : *hashed) options.text.push_back(input.name);
  return absl::OkStatus();
}

// The columns of the CSV file become the base; returns what a person should know.
absl::Status Infer(const CreateFlags& flags, v1::ModelConfig* config) {
  if (flags.config.target.empty()) return UsageError("--from-csv needs --target COLUMN");
  client::InferenceOptions options{.target = flags.config.target,
                                   .likelihood = flags.config.likelihood,
                                   .num_classes = flags.config.classes.value_or(0)};
  if (absl::Status status = ReadNames(flags, options); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<client::CsvReader>> reader =
      client::CsvReader::Open(flags.csv_path, flags.header);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<client::InferredSchema> schema = client::InferSchema(**reader, options);
  if (!schema.ok()) return schema.status();
  for (const std::string& note : schema->notes) std::cerr << "note: " << note << "\n";
  *config = schema->config;
  return absl::OkStatus();
}

absl::Status Import(const CreateFlags& flags, v1::ModelConfig* config) {
  if (flags.weights_path.empty() && flags.variances_path.empty()) return absl::OkStatus();
  v1::Component* prior = config->mutable_prior();
  if (!prior->name().empty() && prior->name() != "isotropic" && prior->name() != "imported") {
    return UsageError(
        absl::StrCat("weights are imported by prior imported, not by ", prior->name()));
  }
  prior->set_name("imported");  // which has the options of isotropic
  absl::Status status;
  if (!flags.weights_path.empty()) {
    status = ReadWeights(flags.weights_path, WeightsRole::kMeans, prior);
  }
  if (status.ok() && !flags.variances_path.empty()) {
    status = ReadWeights(flags.variances_path, WeightsRole::kVariances, prior);
  }
  return status;
}

absl::StatusOr<v1::ModelConfig> MakeConfig(const CreateFlags& flags) {
  v1::ModelConfig config;
  ConfigFlags overrides = flags.config;
  if (!flags.config_path.empty()) {
    absl::Status status = FromJsonFile(flags.config_path, &config);
    if (!status.ok()) return status;
  }
  if (!flags.csv_path.empty()) {
    if (absl::Status status = Infer(flags, &config); !status.ok()) return status;
    overrides.inputs.clear();
  }
  if (absl::Status status = ApplyFlags(overrides, &config); !status.ok()) return status;
  if (absl::Status status = Import(flags, &config); !status.ok()) return status;
  if (config.features().empty()) {
    return UsageError("which inputs? give --inputs, --from-csv or --config");
  }
  return config;
}

// The model that is there already, which stays as it is.
absl::Status ShowExisting(const v1::ModelConfig& wanted, const CreateFlags& flags,
                          client::Client& client, const Session& session) {
  const absl::StatusOr<v1::Model> model = client.GetModel(flags.name);
  if (!model.ok()) return model.status();
  const std::vector<std::string> others = DifferingFields(model->config(), wanted);
  if (!others.empty()) {
    std::cerr << "note: " << model->name() << " has another " << absl::StrJoin(others, ", ")
              << " than is asked for, and stays as it is\n";
  }
  std::cout << (session.json ? ToJson(*model) : model->name() + " exists already") << "\n";
  return absl::OkStatus();
}

// Says that nothing is followed where nobody has asked for that.
void NoteStanding(const v1::ModelConfig& wanted, const v1::Model& made) {
  if (!wanted.dynamics().name().empty() || made.config().dynamics().name() != "static") return;
  std::cerr << "note: " << made.name()
            << " stands still (dynamics static): with these parts it cannot follow a world that "
               "moves, or not fast enough; --dynamics adaptive asks for it all the same\n";
}

absl::Status Create(const CreateFlags& flags, const Session& session) {
  absl::StatusOr<v1::ModelConfig> config = MakeConfig(flags);
  if (!config.ok()) return config.status();
  if (flags.dry_run) {
    std::cout << ToJson(*config) << "\n";
    return absl::OkStatus();
  }
  client::Client client(session.client_options());
  absl::StatusOr<v1::Model> model = client.CreateModel(flags.name, *config);
  if (flags.exist_ok && absl::IsAlreadyExists(model.status())) {
    return ShowExisting(*config, flags, client, session);
  }
  if (!model.ok()) return model.status();
  NoteStanding(*config, *model);
  if (session.json) {
    std::cout << ToJson(*model) << "\n";
    return absl::OkStatus();
  }
  std::cout << "created " << model->name() << ": " << model->num_parameters() << " parameters, "
            << model->num_inputs() << " encoded inputs\n";
  return absl::OkStatus();
}

void AddPartFlags(CLI::App& command, ConfigFlags& config) {
  command.add_option("--model", config.model,
                     "what predicts; `prequel parts` lists all of these and their options");
  command.add_option("--hidden", config.hidden, "model.hidden: layer sizes, for example 32,32");
  command.add_option("--activation", config.activation, "model.activation: tanh | relu | …");
  command.add_option("--likelihood", config.likelihood, "what targets are to a prediction");
  command.add_option("--prior", config.prior, "what is believed of the weights before any row");
  command.add_option("--prior-precision", config.prior_precision, "prior.precision");
  command.add_option("--posterior", config.posterior, "which covariances are held");
  command.add_option("--rule", config.rule, "how a minibatch is learned");
  command.add_option("--dynamics", config.dynamics, "what time does to beliefs");
  command.add_option("--calibration", config.calibration,
                     "whether predictions are corrected by how they came true");
  command.add_option("--robustness", config.robustness, "how much a row counts that is far out");
  command
      .add_option("--option", config.options,
                  "part.key=value, for example rule.passes=5; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
}

void AddDataFlags(CLI::App& command, ConfigFlags& config) {
  command.add_option("--inputs", config.inputs,
                     "NAME,…: NAME? may be missing, NAME:W is W columns, NAME:text is text; or N");
  command.add_option(
      "--hash-buckets", config.hash_buckets,
      "NAME:B,…: inputs that are text, hashed into B columns, for ids that are many");
  command.add_option("--target", config.target, "the target's name");
  command.add_option("--target-width", config.target_width, "values per example");
  command.add_flag("--allow-missing-target", config.allow_missing_target,
                   "rows without a target are skipped, not refused");
  command.add_option("--labels", config.labels, "class labels in class order: a,b,c");
  command.add_option("--classes", config.classes, "number of classes, when there are no labels");
  command.add_option("--standardize-inputs", config.standardize_inputs, "none | running");
  command.add_option("--standardize-targets", config.standardize_targets, "none | running");
}

}  // namespace

void AddCreate(CLI::App& app, Session& session) {
  auto flags = std::make_shared<CreateFlags>();
  CLI::App& command = AddSubcommand(app, session, "create", "Create a model", flags, Create);
  command.add_option("name", flags->name, "lower-case letters, digits, hyphens")->required();
  auto* config = command.add_option("--config", flags->config_path,
                                    "ModelConfig as protobuf JSON, - for standard input; "
                                    "other flags are set over it");
  command
      .add_option("--from-csv", flags->csv_path,
                  "infer features, target and likelihood from this file")
      ->excludes(config);
  command.add_option("--text", flags->text,
                     "columns that --from-csv takes for text, whatever is in them: a,b; a name "
                     "with a comma stands in quotation marks: '\"a,b\",c'");
  AddHeaderFlags(command, flags->header);
  command.add_option("--ignore", flags->ignore, "columns that --from-csv leaves out: a,b");
  AddDataFlags(command, flags->config);
  AddPartFlags(command, flags->config);
  command.add_option("--weights", flags->weights_path,
                     "a network trained elsewhere becomes the prior mean: .npy or JSON");
  command.add_option("--weights-variances", flags->variances_path,
                     "the prior variances of its weights, in such a file");
  command.add_option("--seed", flags->config.seed, "keys every random draw of the model");
  command.add_option("--window", flags->config.window, "examples in the evaluation window");
  command.add_flag("--exist-ok", flags->exist_ok,
                   "a model of that name is no error: it stays as it is, and a note says in what "
                   "it is not as asked for");
  command.add_flag("--dry-run", flags->dry_run, "print the config as JSON, create nothing");
}

}  // namespace prequel::cli
