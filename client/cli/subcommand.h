// How a subcommand joins the application.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client/cli/session.h"

namespace prequel::cli {

// Adds `prequel NAME …`, which runs `run` with `flags` once they have been parsed. What its options
// fill is in `flags`.
template <class Flags>
CLI::App& AddSubcommand(CLI::App& app, Session& session, const char* name, const char* help,
                        const std::shared_ptr<Flags>& flags,
                        absl::Status (*run)(const Flags&, const Session&)) {
  CLI::App& command = *app.add_subcommand(name, help);
  command.callback([flags, run, &session] {
    session.action = [flags, run, &session] { return run(*flags, session); };
  });
  return command;
}

// `prequel NAME MODEL`.
inline void AddModelSubcommand(CLI::App& app, Session& session, const char* name, const char* help,
                               absl::Status (*run)(const std::string&, const Session&)) {
  const auto model = std::make_shared<std::string>();
  AddSubcommand(app, session, name, help, model, run)
      .add_option("name", *model, "the model")
      ->required();
}

}  // namespace prequel::cli
