// What a model was, and what can be made of it: snapshot, revisions, rollback, fork, export,
// import.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/config/config_difference.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "google/protobuf/util/time_util.h"

namespace prequel::cli {
namespace {

struct HistoryFlags {
  std::string name;
  std::optional<std::int64_t> revision;
  std::string other;  // the new model
  std::string path;
};

absl::Status Show(const absl::StatusOr<v1::Model>& model, const std::string& what,
                  const Session& session) {
  if (!model.ok()) return model.status();
  if (session.json) {
    std::cout << ToJson(*model) << "\n";
  } else {
    std::cout << what << " " << model->name() << ", at revision " << model->revision() << "\n";
  }
  return absl::OkStatus();
}

absl::Status TakeSnapshot(const std::string& name, const Session& session) {
  client::Client client(session.client_options());
  const absl::StatusOr<v1::Snapshot> snapshot = client.CreateSnapshot(name);
  if (!snapshot.ok()) return snapshot.status();
  if (session.json) {
    std::cout << ToJson(*snapshot) << "\n";
  } else {
    std::cout << "stored " << client::ModelName(name) << " at revision " << snapshot->revision()
              << ", " << Count(snapshot->bytes(), "byte", "bytes") << "\n";
  }
  return absl::OkStatus();
}

absl::Status ListRevisions(const std::string& name, const Session& session) {
  client::Client client(session.client_options());
  const absl::StatusOr<v1::ListRevisionsResponse> revisions = client.ListRevisions(name);
  if (!revisions.ok()) return revisions.status();
  if (session.json) {
    std::cout << ToJson(*revisions) << "\n";
    return absl::OkStatus();
  }
  std::cout << client::ModelName(name) << " is at revision " << revisions->revision()
            << "; it can be returned to any from " << revisions->oldest_revision() << " on\n";
  if (revisions->snapshots().empty()) return absl::OkStatus();
  Table table({"SNAPSHOT", "TAKEN", "BYTES", "BY"});
  for (const v1::Snapshot& snapshot : revisions->snapshots()) {
    table.Add({Count(snapshot.revision()),
               google::protobuf::util::TimeUtil::ToString(snapshot.create_time()),
               Count(snapshot.bytes()), snapshot.build()});
  }
  std::cout << table.Text();
  return absl::OkStatus();
}

absl::Status Rollback(const HistoryFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  return Show(client.RollbackModel(flags.name, *flags.revision), "rolled back", session);
}

// A file with features is a whole configuration; any other is a difference to the model's own.
absl::StatusOr<v1::ModelConfig> ForkedConfig(const HistoryFlags& flags, client::Client& client) {
  const absl::StatusOr<std::string> json = ReadText(flags.path);
  if (!json.ok()) return json.status();
  absl::StatusOr<v1::ModelConfig> config = ReplacedConfig({}, *json);
  if (config.ok() && config->features().empty()) {
    const absl::StatusOr<v1::Model> model = client.GetModel(flags.name);
    if (!model.ok()) return model.status();
    config = ReplacedConfig(model->config(), *json);
  }
  if (config.ok()) return config;
  return absl::InvalidArgumentError(
      absl::StrCat(flags.path, ": ", std::string(config.status().message())));
}

absl::Status Fork(const HistoryFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<v1::ModelConfig> config = v1::ModelConfig();
  if (!flags.path.empty()) config = ForkedConfig(flags, client);
  if (!config.ok()) return config.status();
  return Show(client.ForkModel(flags.name, flags.revision, flags.other,
                               flags.path.empty() ? nullptr : &*config),
              "forked", session);
}

absl::Status Export(const HistoryFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  // Under another name until it is whole.
  const std::string partial = flags.path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot write to ", partial));
  std::int64_t bytes = 0;
  absl::Status status =
      client.ExportModel(flags.name, flags.revision, [&](const std::string& piece) {
        file << piece;
        bytes += static_cast<std::int64_t>(piece.size());
      });
  file.close();
  if (status.ok() && (!file || std::rename(partial.c_str(), flags.path.c_str()) != 0)) {
    status = absl::DataLossError(absl::StrCat("cannot write to ", flags.path));
  }
  if (!status.ok()) {
    std::remove(partial.c_str());
    return status;
  }
  if (!session.json) {
    std::cout << "exported " << client::ModelName(flags.name) << " to " << flags.path << ", "
              << Count(bytes, "byte", "bytes") << "\n";
  }
  return absl::OkStatus();
}

absl::Status ImportModel(const HistoryFlags& flags, const Session& session) {
  std::ifstream file(flags.path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", flags.path));
  client::Client client(session.client_options());
  std::vector<char> block(std::size_t{1} << 18);
  return Show(client.ImportModel(
                  flags.name,
                  [&]() {
                    file.read(block.data(), static_cast<std::streamsize>(block.size()));
                    return std::string(block.data(), static_cast<std::size_t>(file.gcount()));
                  }),
              "imported", session);
}

}  // namespace

void AddHistory(CLI::App& app, Session& session) {
  AddModelSubcommand(app, session, "snapshot",
                     "Store a model as it is: a restart goes on from there (the server does this "
                     "by itself, too)",
                     TakeSnapshot);
  AddModelSubcommand(app, session, "revisions", "Show which revisions a model can be returned to",
                     ListRevisions);
  const auto flags = std::make_shared<HistoryFlags>();  // of the only one that will run
  const auto add = [&](const char* name, const char* help, auto* run) -> CLI::App& {
    CLI::App& command = AddSubcommand(app, session, name, help, flags, run);
    command.add_option("name", flags->name, "the model")->required();
    return command;
  };
  add("rollback", "Go on from an earlier revision; the way there stays in the log", Rollback)
      .add_option("--revision", flags->revision, "the revision to return to")
      ->required();
  CLI::App& fork =
      add("fork", "Make a new model of a revision; with --config, of the same data", Fork);
  fork.add_option("new", flags->other, "the new model's name")->required();
  fork.add_option("--revision", flags->revision, "the revision (default: the newest)");
  fork.add_option("--config", flags->path,
                  "learn all the data otherwise: JSON with what is to be different, such as "
                  "{\"dynamics\": {\"name\": \"static\"}}, or a whole ModelConfig");
  CLI::App& exported = add("export", "Write a model to a file", Export);
  exported.add_option("file", flags->path, "the file")->required();
  exported.add_option("--revision", flags->revision, "the revision (default: the newest)");
  add("import", "Make a new model of a file that `export` wrote", ImportModel)
      .add_option("file", flags->path, "the file")
      ->required();
}

}  // namespace prequel::cli
