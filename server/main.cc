// prequeld: starts a server, says where it listens, and stops it on SIGTERM or SIGINT.
#include <grpc/support/log.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/command_line.h"
#include "server/exposure.h"
#include "server/listening/descriptors.h"
#include "server/log/stderr_log.h"
#include "server/server.h"
#include "server/stop_signal.h"

namespace prequel {
namespace {

constexpr int kFailed = 1;
constexpr int kGrpcLinesPerSecond = 5;
// kAfterDrain is left for what is not done by then: an update that is being computed, a snapshot
// that is being written.
constexpr std::chrono::milliseconds kAfterDrain{1500};

void LogFromGrpc(gpr_log_func_args* args) {
  const Severity severity =
      args->severity == GPR_LOG_SEVERITY_ERROR ? Severity::kError : Severity::kInfo;
  // Whoever can reach a port can have gRPC complain.
  static LogBudget budget(kGrpcLinesPerSecond);
  const std::optional<std::int64_t> left_out = budget.Take();
  if (!left_out) return;
  const std::string more =
      *left_out == 0 ? "" : " (" + std::to_string(*left_out) + " lines were left out before)";
  LogLine(severity, std::string("grpc: ") + args->message + more);
}

// The signal that says to stop; 0 when the server is to be started anew.
int AwaitStop(const Server& server, StopSignal& stop) {
  constexpr std::chrono::seconds kBetweenLooks{1};
  for (;;) {
    const int signal = stop.Await(kBetweenLooks);
    if (signal != 0) return signal;
    if (server.wants_restart()) return 0;
  }
}

// One server's life; nothing when another one is to follow.
std::optional<int> Serve(const ServerOptions& options, StopSignal& stop) {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  if (!server.ok()) {
    std::fprintf(stderr, "prequeld: %s\n", std::string(server.status().message()).c_str());
    return kFailed;
  }
  const std::string& http = (*server)->http_address();
  std::printf("prequeld listening on %s%s\n", (*server)->address().c_str(),
              http.empty() ? "" : (" (http " + http + ")").c_str());
  std::fflush(stdout);
  if (options.insecure) LogLine(Severity::kWarning, InsecureWarning(options));
  if (!options.sync) {
    LogLine(Severity::kWarning, "--sync=false: answered minibatches do not survive power loss");
  }
  const int signal = AwaitStop(**server, stop);
  LogLine(Severity::kInfo, signal == 0         ? "the disk has room again: starting anew"
                           : signal == SIGTERM ? "stopping on SIGTERM"
                                               : "stopping on SIGINT");
  (*server)->Stop();
  server->reset();
  LogLine(Severity::kInfo, "stopped");
  if (signal == 0) return std::nullopt;
  return EXIT_SUCCESS;
}

int Run(const ServerOptions& options) {
  SetLogFormat(options.log_format == "json" ? LogFormat::kJson : LogFormat::kText);
  StopSignal stop(options.drain + kAfterDrain);
  umask(S_IRWXG | S_IRWXO);  // models are nobody else's business
  RaiseDescriptorLimit();
  gpr_set_log_function(LogFromGrpc);
  // Where Abseil is built without NDEBUG it looks for deadlocks at every lock, under one of its own
  // that all threads want.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  for (;;) {
    if (const std::optional<int> code = Serve(options, stop)) return *code;
  }
}

}  // namespace
}  // namespace prequel

int main(int argc, char** argv) {
  prequel::StopSignal::Block();
  signal(SIGPIPE, SIG_IGN);
  const prequel::CommandLine command_line = prequel::ParseCommandLine(argc, argv);
  if (command_line.exit_code) return *command_line.exit_code;
  return prequel::Run(command_line.options);
}
