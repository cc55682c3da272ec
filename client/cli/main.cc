// prequel: the command line of the Prequel service.
#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "client/cli/access/security_flags.h"
#include "client/cli/commands.h"
#include "client/cli/error_text.h"
#include "client/cli/output/written.h"
#include "client/cli/session.h"
#include "client/data/nearest_name.h"

namespace prequel::cli {
namespace {

constexpr char kFooter[] = R"(Exit codes:
  0    done
  1    the server refused the request, or failed
  2    the command line is wrong
  3    no answer from the server
  4    a file is missing, or its content is wrong
  5    learned or scored, but some minibatches or rows were refused
  130  stopped by Ctrl-C after reporting what was acknowledged
  141  nobody read the output any more, as in `prequel predict … | head`)";

constexpr char kCommandFooter[] =
    "--server, --timeout, --json and what is about TLS and tokens may stand here too: see\n"
    "`prequel --help`.";

void AddGlobalOptions(CLI::App& app, Session& session) {
  app.add_option("--server", session.server, "HOST:PORT of prequeld")
      ->envname("PREQUEL_SERVER")
      ->check([](const std::string& server) {
        const std::string scheme = server.substr(0, server.find("://"));
        const bool url = scheme == "http" || scheme == "https" || scheme == "grpc" ||
                         scheme == "grpcs" || scheme == "tcp";
        if (!url || scheme.size() == server.size()) return "";
        return "give HOST:PORT of the gRPC port, not a URL; --tls encrypts";
      })
      ->capture_default_str();
  app.add_option("--timeout", session.timeout_seconds, "seconds to wait for an answer")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", session.json, "one JSON document instead of tables");
  AddSecurityFlags(app, session.security);
  app.set_version_flag("--version", "prequel " PREQUEL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
}

// CLI11 says of a misspelt subcommand only that one is required.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (!app.get_subcommands().empty() || argc < 2) return error.what();
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string nearest = client::NearestName(argv[i], names);
    if (nearest.empty() || argv[i][0] == '-') continue;
    return std::string("no subcommand '") + argv[i] + "'; did you mean '" + nearest + "'?";
  }
  return error.what();
}

// The help that has what the command line lacks.
std::string HelpOf(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? "prequel --help" : "prequel " + given.front()->get_name() + " --help";
}

// What a finished command has said. Only an output that nobody wants is as good as printed.
absl::Status Printed() {
  absl::Status status = Written(std::cout, "");
  return HasMessage(status) ? status : absl::OkStatus();
}

int Run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write
  Session session;
  CLI::App app("Streams minibatches to a Prequel server and asks it for predictions.", "prequel");
  AddGlobalOptions(app, session);
  for (const auto add :
       {AddCreate, AddList, AddDescribe, AddDelete, AddLearn, AddPredict, AddScore, AddEval,
        AddWatch, AddGenerate, AddHealth, AddHistory, AddToken, AddParts, AddCompletion}) {
    add(app, session);
  }
  app.footer(kFooter);  // after the subcommands: they inherit it
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_footer().empty()) command->footer(kCommandFooter);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "prequel: " << UsageText(app, error, argc, argv) << "; see `" << HelpOf(app)
              << "`\n";
    return kUsage;
  }
  ReadTokenFromEnvironment(session.security);
  absl::Status status = session.action();
  if (status.ok()) status = Printed();
  if (HasMessage(status)) std::cerr << ErrorText(status, session.server);
  return ExitCodeOf(status);
}

}  // namespace
}  // namespace prequel::cli

int main(int argc, char** argv) { return prequel::cli::Run(argc, argv); }
