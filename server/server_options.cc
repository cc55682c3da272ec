#include "server/server_options.h"

#include <cstddef>
#include <initializer_list>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/engine/fold/origin.h"
#include "server/memory/machine.h"

namespace prequel {
namespace {

// The largest request is held about three times over, which must be within the 3/8 of a quarter
// that one call may have (InFlight).
constexpr std::int64_t kMessagesInMemory = 32;

struct Range {
  const char* flag;
  std::int64_t value, low, high;
};

absl::Status CheckRange(const Range& range) {
  if (range.value >= range.low && range.value <= range.high) return absl::OkStatus();
  return FieldError(range.flag, absl::StrCat("must be between ", range.low, " and ", range.high,
                                             ", is ", range.value));
}

absl::Status CheckTls(const ServerOptions& options) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return FieldError(options.tls_key.empty() ? "--tls-key" : "--tls-cert",
                      "is missing: a certificate and its key go together");
  }
  if (!options.tls_client_ca.empty() && options.tls_cert.empty()) {
    return FieldError("--tls-client-ca", "needs --tls-cert and --tls-key");
  }
  if (!options.tls_client_ca.empty() && options.policy.empty()) {
    return FieldError("--tls-client-ca", "needs --policy, which says what each client may do");
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const ServerOptions& options) {
  const std::int64_t most = LargestMessage(options);
  if (options.max_message_bytes <= most) return absl::OkStatus();
  if (options.memory > 0) {
    return FieldError("--memory", absl::StrCat("must be 0 or at least ", kMessagesInMemory,
                                               " x --max-message-bytes, which is ",
                                               kMessagesInMemory * options.max_message_bytes,
                                               ", is ", options.memory));
  }
  return FieldError("--max-message-bytes",
                    absl::StrCat("must be at most ", most,
                                 " with the memory of this machine or its control group, is ",
                                 options.max_message_bytes));
}

absl::Status CheckAddress(const char* flag, const std::string& address) {
  HostPort ignored;
  absl::Status status = ParseHostPort(address, &ignored);
  if (status.ok()) return status;
  return FieldError(flag, std::string(status.message()));
}

}  // namespace

absl::Status ParseHostPort(const std::string& text, HostPort* result) {
  const std::size_t colon = text.rfind(':');
  absl::Status bad =
      absl::InvalidArgumentError("must be HOST:PORT or [IPV6]:PORT, is \"" + text + "\"");
  if (colon == text.npos || colon == 0) return bad;
  std::string host = text.substr(0, colon);
  if (host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return bad;
  int port = -1;
  if (!absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 0 || port > 65535) return bad;
  *result = {host, port};
  return absl::OkStatus();
}

MemoryBudgets BudgetsOf(const ServerOptions& options) {
  const std::int64_t all = options.memory > 0 ? options.memory : MemoryLimit() / 5 * 4;
  return {.all = all, .models = all / 2, .in_flight = all / 4, .transport = all / 8};
}

std::int64_t LargestMessage(const ServerOptions& options) {
  return BudgetsOf(options).all / kMessagesInMemory;
}

absl::Status CheckServerOptions(const ServerOptions& options) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  if (options.data_dir.empty()) return FieldError("--data-dir", "must not be empty");
  absl::Status status = CheckAddress("--listen", options.listen);
  if (status.ok() && !options.http.empty()) status = CheckAddress("--http", options.http);
  if (status.ok()) status = CheckTls(options);
  for (const Range& range : std::initializer_list<Range>{
           {"--workers", options.workers, 0, 1024},
           {"--max-message-bytes", options.max_message_bytes, 1024, kGiB},
           {"--max-answer-bytes", options.max_answer_bytes, 1024, kGiB},
           {"--max-batch-rows", options.max_batch_rows, 1, std::int64_t{1} << 24},
           {"--queue-batches", options.queue_batches, 1, 1 << 20},
           {"--queue-bytes", options.queue_bytes, options.max_message_bytes, 1024 * kGiB},
           {"--queue-calls", options.queue_calls, 1, 1 << 20},
           {"--queue-history", options.queue_history, 1, 1 << 20},
           {"--max-models", options.max_models, 1, 1 << 20},
           {"--model-metrics", options.model_metrics, 0, 10'000},
           {"--memory", options.memory, 0, 1024 * kGiB},
           {"--patience-seconds", options.patience.count(), 1, 3600},
           {"--max-update-seconds", options.max_update_seconds, 1, 1'000'000},
           {"--max-query-seconds", options.max_query_seconds, 1, 1'000'000},
           {"--max-connections", options.max_connections, 0, 1 << 20},
           {"--max-connections-per-peer", options.max_connections_per_peer, 0, 1 << 20},
           {"--max-calls-per-peer", options.max_calls_per_peer, 1, 1 << 20},
           {"--stream-window", options.stream_window, 1, kAnswersPerProducer},
           {"--snapshot-batches", options.snapshot_batches, 0, std::int64_t{1} << 40},
           {"--snapshot-bytes", options.snapshot_bytes, 0, std::int64_t{1} << 50},
           {"--snapshot-rate", options.snapshot_rate, 0, std::int64_t{1} << 50},
           {"--snapshots-kept", options.snapshots_kept, 1, 1000},
           {"--audit-bytes", options.audit_bytes, 4096, std::int64_t{1} << 40},
           {"--audit-files", options.audit_files, 1, 1000},
           {"--drain-seconds", options.drain.count(), 0, 3600}}) {
    if (!status.ok()) break;
    status = CheckRange(range);
  }
  if (status.ok() && options.audit.empty() && (options.audit_required || options.audit_reads)) {
    return FieldError(options.audit_required ? "--audit-required" : "--audit-reads",
                      "needs a file: --audit");
  }
  if (status.ok()) status = CheckMemory(options);
  if (status.ok() && !(options.watch_rate >= 0.001 && options.watch_rate <= 1000)) {
    return FieldError("--watch-rate", absl::StrCat("must be between 0.001 and 1000 per second, is ",
                                                   options.watch_rate));
  }
  if (status.ok() && options.retention != "snapshots" && options.retention != "full") {
    return FieldError("--retention", "must be snapshots or full, is " + options.retention);
  }
  if (status.ok() && options.log_format != "text" && options.log_format != "json") {
    return FieldError("--log-format", "must be text or json, is " + options.log_format);
  }
  return status;
}

}  // namespace prequel
