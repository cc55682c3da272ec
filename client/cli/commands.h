// The subcommands of `prequel`: each function adds its own to the application. Running one
// leaves its outcome in the session.
#pragma once

namespace CLI {
class App;
}

namespace prequel::cli {

struct Session;

void AddCreate(CLI::App& app, Session& session);
void AddList(CLI::App& app, Session& session);
void AddDescribe(CLI::App& app, Session& session);
void AddDelete(CLI::App& app, Session& session);
void AddLearn(CLI::App& app, Session& session);
void AddPredict(CLI::App& app, Session& session);
void AddScore(CLI::App& app, Session& session);
void AddEval(CLI::App& app, Session& session);
void AddWatch(CLI::App& app, Session& session);
void AddGenerate(CLI::App& app, Session& session);
void AddHistory(CLI::App& app, Session& session);
void AddToken(CLI::App& app, Session& session);
void AddParts(CLI::App& app, Session& session);
void AddCompletion(CLI::App& app, Session& session);
void AddHealth(CLI::App& app, Session& session);

}  // namespace prequel::cli
