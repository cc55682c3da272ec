// What a server can be told. The command line, a configuration file and tests fill it in.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace prequel {

struct ServerOptions {
  std::string data_dir = "./prequel-data";
  std::string listen = "127.0.0.1:8081";  // gRPC, HOST:PORT; port 0: any
  std::string http = "127.0.0.1:8080";    // HTTP, HOST:PORT; empty: none

  // PEM files of both ports, read again when they change; empty: plain text.
  std::string tls_cert;       // the server's certificate, then those between it and its root
  std::string tls_key;        // its private key, not encrypted
  std::string tls_client_ca;  // who signs clients' certificates; empty: they are asked for none

  std::string policy;         // file of who may do what, read like those; empty: everybody anything
  bool open_metrics = false;  // metrics are for everybody, in spite of a policy
  bool insecure = false;      // other machines may reach it without TLS or without a policy

  int workers = 0;  // threads that learn or that answer, beside one more; 0: by CoreLimit

  // Off, an acknowledged minibatch survives a crash of the process, but not of the machine.
  bool sync = true;

  // 16 MiB: 65536 rows of 64 float32 columns. Larger minibatches learn no faster, and a message
  // is held in memory about three times over.
  std::int64_t max_message_bytes = 16 << 20;
  std::int64_t max_answer_bytes = 64 << 20;  // of the predictions in one answer
  std::int64_t max_batch_rows = 1 << 16;
  int queue_batches = 512;                             // accepted and not answered, per model
  std::int64_t queue_bytes = std::int64_t{512} << 20;  // the same, over all models
  int queue_calls = 256;   // queries that wait for a thread, and calls that make or delete models
  int queue_history = 16;  // calls that wait to store, copy or return to a model, one at a time
  int max_models = 10'000;
  int model_metrics = 100;  // models that have metrics of their own

  // Bytes that the process may take: models half of it, what is in flight and gRPC the most of the
  // rest. 0: four fifths of what the machine, or its control group, has.
  std::int64_t memory = 0;
  // How long a client may take to read an answer, or to send the next piece of a file, beside a
  // second for each 256 KiB.
  std::chrono::seconds patience{30};
  // Seconds of one core that an update, or a query, may take by estimate: what would take longer is
  // refused.
  std::int64_t max_update_seconds = 60;
  std::int64_t max_query_seconds = 60;

  // Connections of gRPC, in all and from one address; 0: as many as there are descriptors.
  int max_connections = 4096;
  int max_connections_per_peer = 1024;
  int max_calls_per_peer = 4096;  // open at a time, of all who come from one address

  // Minibatches of one stream read and not yet answered. One stream learns at most this many in the
  // time of two syncs: those being synced and those that the next sync will take. queue_bytes
  // bounds their memory. No more than the answers that a model remembers of each producer.
  int stream_window = 256;

  double watch_rate = 10;  // answers per second to one WatchEvaluation, at most

  // How many minibatches, or bytes of log, after its last snapshot a model's next one is taken (0:
  // not for that reason); another is taken when the server stops. The newest ones are kept.
  std::int64_t snapshot_batches = 4096;
  std::int64_t snapshot_bytes = 64 << 20;
  std::int64_t snapshot_rate = 32 << 20;  // bytes per second at most; 0: as fast as it goes
  int snapshots_kept = 3;
  // "snapshots": the log behind the oldest snapshot that is kept; "full": all of it.
  std::string retention = "snapshots";

  std::string log_format = "text";  // or "json"

  // A file with a line of JSON for every call that changes something; empty: none. The file is
  // renamed when it has more than audit_bytes, and audit_files of those are kept.
  std::string audit;
  bool audit_reads = false;  // and for every other call
  std::int64_t audit_bytes = 64 << 20;
  int audit_files = 9;
  bool audit_required = false;  // while it cannot be written, what would be in it is refused

  std::chrono::seconds drain{10};  // how long stopping waits for calls in progress
};

// MemoryBudgets is what --memory comes to.
struct MemoryBudgets {
  std::int64_t all = 0;
  std::int64_t models = 0;     // by estimate: states, and what they are made of
  std::int64_t in_flight = 0;  // requests and answers
  std::int64_t transport = 0;  // what gRPC has of requests that have not come whole, and of calls
};
MemoryBudgets BudgetsOf(const ServerOptions& options);

// The largest request, in bytes, for which there is memory.
std::int64_t LargestMessage(const ServerOptions& options);

// INVALID_ARGUMENT names the flag.
absl::Status CheckServerOptions(const ServerOptions& options);

// "127.0.0.1:8081" or "[::1]:8081", taken apart.
struct HostPort {
  std::string host;
  int port = 0;
};
absl::Status ParseHostPort(const std::string& text, HostPort* result);

}  // namespace prequel
