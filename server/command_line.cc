#include "server/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace prequel {
namespace {

constexpr int kUsageError = 2;

void AddListeners(CLI::App& app, ServerOptions& options) {
  app.add_option("--data-dir", options.data_dir,
                 "Directory of models and logs; created if missing, one server at a time");
  app.add_option("--listen", options.listen, "HOST:PORT for gRPC; port 0: any free one");
  app.add_option("--http", options.http,
                 "HOST:PORT for /metrics, /v2/health and /v2/models; empty: no HTTP");
  app.add_option("--workers", options.workers,
                 "Threads that learn, as many for what takes long, and as many that predict; 0: "
                 "one per core of the machine or its control group (cpu.max), rounded up");
  app.add_option("--sync", options.sync,
                 "false: a power loss may take answered minibatches with it (a crash does not)")
      ->default_str("true");
}

void AddSecurity(CLI::App& app, ServerOptions& options) {
  app.add_option("--tls-cert", options.tls_cert,
                 "PEM file of the server's certificate and those between it and its root; it and "
                 "the next two are read again when they change; empty: plain text");
  app.add_option("--tls-key", options.tls_key, "PEM file of its private key, not encrypted");
  app.add_option("--tls-client-ca", options.tls_client_ca,
                 "PEM file of who signs clients' certificates; empty: they are asked for none");
  app.add_option("--policy", options.policy,
                 "File of who may do what, read again when it changes; empty: everybody may do "
                 "everything");
  app.add_flag("--open-metrics", options.open_metrics,
               "Metrics are for everybody; without it a policy guards them");
  app.add_flag("--insecure", options.insecure,
               "Other machines may reach the server without TLS or without a policy");
}

void AddBudgets(CLI::App& app, ServerOptions& options, std::int64_t& patience_seconds) {
  app.add_option("--memory", options.memory,
                 "Bytes the process may take: half for models, a quarter for what is in flight; 0: "
                 "four fifths of what the machine or its control group has");
  app.add_option(
      "--patience-seconds", patience_seconds,
      "How long a client may take to read an answer or to send the next piece of a file, "
      "and 1 s more for each 256 KiB; then its call is ended");
  app.add_option("--max-update-seconds", options.max_update_seconds,
                 "Processor time of learning one minibatch, by estimate; what takes longer is "
                 "refused");
  app.add_option("--max-query-seconds", options.max_query_seconds,
                 "The same of answering one query");
  app.add_option("--max-connections", options.max_connections,
                 "Connections to the gRPC port; 0: as many as there are descriptors");
  app.add_option("--max-connections-per-peer", options.max_connections_per_peer,
                 "The same from one address; whoever has been idle the longest makes room");
  app.add_option("--max-calls-per-peer", options.max_calls_per_peer,
                 "Calls open at a time from one address, of all clients behind it; beyond, its "
                 "connections are ended and for 10 s there are no others");
}

void AddLimits(CLI::App& app, ServerOptions& options, std::int64_t& drain_seconds) {
  app.add_option("--max-message-bytes", options.max_message_bytes,
                 "Largest request; less unless it is given, where memory is small");
  app.add_option("--max-answer-bytes", options.max_answer_bytes,
                 "Largest predictions in one answer");
  app.add_option("--max-batch-rows", options.max_batch_rows, "Most rows in one minibatch");
  app.add_option("--queue-batches", options.queue_batches,
                 "Minibatches accepted and not yet answered, per model");
  app.add_option("--queue-bytes", options.queue_bytes, "Bytes of them, over all models");
  app.add_option("--queue-calls", options.queue_calls,
                 "Queries that wait for a thread, and calls that make models");
  app.add_option(
      "--queue-history", options.queue_history,
      "Calls that wait to store, copy or return to a model, which is done one at a time");
  app.add_option("--max-models", options.max_models, "Models hosted");
  app.add_option("--model-metrics", options.model_metrics,
                 "Models that have metrics of their own: those that were used last; 0: none");
  app.add_option("--stream-window", options.stream_window,
                 "Minibatches of one LearnStream read and not yet answered");
  app.add_option("--watch-rate", options.watch_rate,
                 "Answers per second to one WatchEvaluation, at most");
  app.add_option("--drain-seconds", drain_seconds, "How long stopping waits for calls in progress");
}

void AddLogs(CLI::App& app, ServerOptions& options) {
  app.add_option("--log-format", options.log_format, "text or json: of the log on stderr");
  app.add_option("--audit", options.audit,
                 "File of a line of JSON for every call that changes something; empty: none");
  app.add_flag("--audit-reads", options.audit_reads,
               "A line there for calls that change nothing as well");
  app.add_flag("--audit-required", options.audit_required,
               "While that file cannot be written, refuse calls that would be in it");
  app.add_option("--audit-bytes", options.audit_bytes,
                 "Length at which that file is renamed, to FILE.1, and another one begun");
  app.add_option("--audit-files", options.audit_files, "How many of the renamed are kept");
}

void AddSnapshots(CLI::App& app, ServerOptions& options) {
  app.add_option("--snapshot-batches", options.snapshot_batches,
                 "Minibatches after which a model's snapshot is taken; 0: not by number");
  app.add_option("--snapshot-bytes", options.snapshot_bytes,
                 "Bytes of log after which one is taken; 0: not by size");
  app.add_option("--snapshot-rate", options.snapshot_rate,
                 "Bytes per second it is written at; 0: as fast as it goes");
  app.add_option("--snapshots-kept", options.snapshots_kept, "The newest snapshots of each model");
  app.add_option("--retention", options.retention,
                 "snapshots: keep the log behind the oldest snapshot; full: all of it");
}

// The flags, last first as CLI11 takes them; `--http=` becomes `--http ""`, which it would
// otherwise read as a flag whose value follows.
std::vector<std::string> Arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    if (argument.starts_with("--") && argument.ends_with('=')) {
      argument.pop_back();
      arguments.emplace_back();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

int Refuse(const std::string& what) {
  std::fprintf(stderr, "prequeld: %s (see --help)\n", what.c_str());
  return kUsageError;
}

}  // namespace

CommandLine ParseCommandLine(int argc, char** argv) {
  CommandLine result;
  CLI::App app("prequeld: streaming Bayesian learning as a gRPC service", "prequeld");
  app.option_defaults()->always_capture_default();
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::int64_t drain_seconds = result.options.drain.count();
  std::int64_t patience_seconds = result.options.patience.count();
  AddListeners(app, result.options);
  AddSecurity(app, result.options);
  AddLimits(app, result.options, drain_seconds);
  AddBudgets(app, result.options, patience_seconds);
  AddSnapshots(app, result.options);
  AddLogs(app, result.options);
  app.set_config("--config", "", "File of flags, one `name=value` per line; flags override it");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_version_flag("--version", "prequeld " PREQUEL_VERSION);
  try {
    app.parse(Arguments(argc, argv));
  } catch (const CLI::Success& success) {
    result.exit_code = app.exit(success);
    return result;
  } catch (const CLI::ParseError& error) {
    result.exit_code = Refuse(error.what());
    return result;
  }
  result.options.drain = std::chrono::seconds(drain_seconds);
  result.options.patience = std::chrono::seconds(patience_seconds);
  if (app.get_option("--max-message-bytes")->count() == 0) {
    result.options.max_message_bytes =
        std::min(result.options.max_message_bytes, LargestMessage(result.options));
  }
  const absl::Status status = CheckServerOptions(result.options);
  if (!status.ok()) result.exit_code = Refuse(std::string(status.message()));
  return result;
}

}  // namespace prequel
