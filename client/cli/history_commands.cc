// What a model was, and what can be made of it: revisions, rollback, fork, export, import.
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
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"
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

absl::Status ListRevisions(const HistoryFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  const absl::StatusOr<v1::ListRevisionsResponse> revisions = client.ListRevisions(flags.name);
  if (!revisions.ok()) return revisions.status();
  if (session.json) {
    std::cout << ToJson(*revisions) << "\n";
    return absl::OkStatus();
  }
  std::cout << client::ModelName(flags.name) << " is at revision " << revisions->revision()
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

absl::Status Fork(const HistoryFlags& flags, const Session& session) {
  v1::ModelConfig config;
  if (!flags.path.empty()) {
    if (absl::Status status = FromJsonFile(flags.path, &config); !status.ok()) return status;
  }
  client::Client client(session.client_options());
  return Show(client.ForkModel(flags.name, flags.revision, flags.other,
                               flags.path.empty() ? nullptr : &config),
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

absl::Status Import(const HistoryFlags& flags, const Session& session) {
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

// `prequel NAME model …` whose action is `run`.
CLI::App& AddCommand(CLI::App& app, Session& session, const char* name, const char* help,
                     absl::Status (*run)(const HistoryFlags&, const Session&),
                     std::shared_ptr<HistoryFlags>& flags) {
  flags = std::make_shared<HistoryFlags>();
  CLI::App& command = *app.add_subcommand(name, help);
  command.add_option("name", flags->name, "the model")->required();
  command.callback([flags, run, &session] {
    session.action = [flags, run, &session] { return run(*flags, session); };
  });
  return command;
}

}  // namespace

void AddHistory(CLI::App& app, Session& session) {
  std::shared_ptr<HistoryFlags> flags;
  AddCommand(app, session, "revisions", "Show which revisions a model can be returned to",
             ListRevisions, flags);
  AddCommand(app, session, "rollback",
             "Go on from an earlier revision; the way there stays in the log", Rollback, flags)
      .add_option("--revision", flags->revision, "the revision to return to")
      ->required();
  CLI::App& fork =
      AddCommand(app, session, "fork",
                 "Make a new model of a revision; with --config, of the same data", Fork, flags);
  fork.add_option("new", flags->other, "the new model's name")->required();
  fork.add_option("--revision", flags->revision, "the revision (default: the newest)");
  fork.add_option("--config", flags->path,
                  "another configuration (a ModelConfig as JSON), to learn all the data by");
  CLI::App& exported = AddCommand(app, session, "export", "Write a model to a file", Export, flags);
  exported.add_option("file", flags->path, "the file")->required();
  exported.add_option("--revision", flags->revision, "the revision (default: the newest)");
  AddCommand(app, session, "import", "Make a new model of a file that `export` wrote", Import,
             flags)
      .add_option("file", flags->path, "the file")
      ->required();
}

}  // namespace prequel::cli
