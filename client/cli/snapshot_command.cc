#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "client/cli/commands.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/output/table.h"
#include "client/cli/session.h"

namespace prequel::cli {
namespace {

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

}  // namespace

void AddSnapshot(CLI::App& app, Session& session) {
  auto name = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand(
      "snapshot",
      "Store a model as it is: a restart goes on from there (the server does this by "
      "itself, too)");
  command.add_option("name", *name, "the model")->required();
  command.callback([name, &session] {
    session.action = [name, &session] { return TakeSnapshot(*name, session); };
  });
}

}  // namespace prequel::cli
