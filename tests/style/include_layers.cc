#include "tests/style/include_layers.h"

#include <algorithm>
#include <string>

namespace prequel::style {
namespace {

using Prefixes = std::vector<std::string_view>;

bool StartsWithAny(std::string_view text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

const Layer* LayerOf(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& layer : Layers()) {
    if (!path.starts_with(layer.folder)) continue;
    if (best == nullptr || layer.folder.size() > best->folder.size()) best = &layer;
  }
  return best;
}

// The header named by an #include line, empty for any other line.
std::string_view IncludedHeader(std::string_view line) {
  std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || line[at] != '#') return {};
  at = line.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos || !line.substr(at).starts_with("include")) return {};
  const std::size_t open = line.find_first_of("<\"", at);
  if (open == std::string_view::npos) return {};
  const std::size_t close = line.find_first_of(">\"", open + 1);
  if (close == std::string_view::npos) return {};
  return line.substr(open + 1, close - open - 1);
}

bool IsStandard(std::string_view header) { return header.find_first_of("/.") == header.npos; }

bool IsOperatingSystem(std::string_view header) {
  static const Prefixes kFolders = {"sys/", "linux/", "netinet/", "arpa/"};
  static const Prefixes kHeaders = {"fcntl.h", "unistd.h", "signal.h", "poll.h",  "pthread.h",
                                    "time.h",  "errno.h",  "netdb.h",  "dirent.h"};
  return StartsWithAny(header, kFolders) ||
         std::find(kHeaders.begin(), kHeaders.end(), header) != kHeaders.end();
}

bool IsAllowed(const Layer& layer, std::string_view header) {
  if (StartsWithAny(header, layer.denied)) return false;
  if (IsStandard(header)) return true;
  if (IsOperatingSystem(header)) return layer.operating_system;
  return StartsWithAny(header, layer.allowed);
}

std::string Join(const Prefixes& words) {
  std::string joined;
  for (std::string_view word : words) {
    if (!joined.empty()) joined += ", ";
    joined += word;
  }
  return joined;
}

Prefixes Plus(Prefixes all, const Prefixes& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Layer> With(std::vector<Layer> all, const std::vector<Layer>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// What is generated, and gRPC.
const Prefixes& Proto() {
  static const Prefixes kProto = {"prequel/v1/", "proto/prequel/v1/", "google/protobuf/",
                                  "google/rpc/", "inference/"};
  return kProto;
}
const Prefixes& Grpc() {
  static const Prefixes kGrpc = {"grpc/", "grpcpp/", "src/proto/grpc/"};
  return kGrpc;
}

std::vector<Layer> ServerLayers() {
  return {{"server/", "owns every part",
           Plus(Plus({"server/", "core/", "absl/", "CLI/"}, Proto()), Grpc())},
          {"server/listening/", "gRPC's connections: accepted, bounded and watched",
           Plus({"server/listening/", "server/memory/", "server/rpc/arrivals.h", "server/sync/",
                 "server/server_options.h", "server/log/stderr_log.h", "absl/", "nlohmann/"},
                Grpc())},
          {"server/sync/",
           "the one lock type, annotated for thread-safety analysis; whose turn it is",
           {"server/sync/", "absl/base/", "sched.h"}},
          {"server/memory/",
           "budgets of memory: counts bytes, and knows nobody's",
           {"server/memory/", "server/sync/", "absl/", "malloc.h"}},
          {"server/storage/",
           "opaque bytes and their checksum: knows nothing else of core, and no proto",
           {"server/storage/", "server/sync/", "core/archive/crc32c.h", "absl/", "rocksdb/"}},
          {"server/engine/",
           "one actor per model over the storage interfaces",
           {"server/engine/", "server/memory/", "server/storage/", "server/sync/", "core/", "absl/",
            "Eigen/"},
           {"server/storage/rocks"}},
          {"server/wire/", "the only place where core and proto meet",
           Plus({"server/wire/", "core/", "absl/", "Eigen/"}, Proto())},
          {"server/auth/", "who calls, and whether over a connection that can be trusted",
           Plus({"server/auth/", "server/sync/", "absl/", "openssl/"}, Grpc())},
          {"server/web/",
           "the HTTP side: pages for machines that do not speak gRPC",
           {"server/web/", "server/auth/", "server/rpc/request_id.h", "server/sync/", "absl/",
            "boost/", "nlohmann/", "openssl/"}},
          {"server/log/",
           "what people read: told by the engine and the calls",
           {"server/log/", "server/engine/", "server/rpc/call_observer.h", "server/sync/",
            "server/wire/text.h", "absl/"}},
          {"server/observe/",
           "metrics and the audit trail: told by the engine and the calls",
           {"server/observe/", "server/auth/role.h", "server/engine/", "server/log/",
            "server/rpc/call_observer.h", "server/sync/", "absl/", "prometheus/"}},
          {"server/rpc/", "convert, call, map status, count",
           Plus(Plus({"server/rpc/", "server/engine/", "server/memory/", "server/sync/",
                      "server/wire/", "server/auth/", "absl/"},
                     Proto()),
                Grpc())},
          // Dates are text on both sides of the wire; those headers are std's alone.
          {"server/inference/", "the open inference protocol, over the engine",
           Plus(Plus({"server/inference/", "server/engine/", "server/rpc/", "server/web/",
                      "server/wire/", "client/data/moment.h", "client/data/number.h", "core/",
                      "absl/", "nlohmann/"},
                     Proto()),
                Grpc())}};
}

}  // namespace

const std::vector<Layer>& Layers() {
  // <random> and <chrono> would be hidden inputs of the fold, the rest I/O or threads.
  static const Prefixes kNotPure = {
      "random", "chrono", "ctime",   "thread",   "mutex",  "shared_mutex", "condition_variable",
      "future", "atomic", "fstream", "iostream", "cstdio", "filesystem",   "semaphore",
      "latch",  "barrier"};
  static const std::vector<Layer> kLayers =
      With(ServerLayers(),
           {{"core/",
             "pure mathematics: no I/O, no threads, no clock, no protobuf, no gRPC",
             {"core/", "Eigen/", "unsupported/Eigen/", "absl/status/", "absl/strings/", "math.h",
              "xmmintrin.h", "immintrin.h"},
             kNotPure,
             false},
            {"client/",
             "knows the wire contract, nothing of core or server",
             Plus(Plus({"client/", "absl/"}, Proto()), Grpc()),
             {"client/data/", "client/cli/"}},
            // "Did you mean …?" is asked on both sides of the wire; that header is std's alone.
            {"client/data/", "turns files into batches: knows no server and one function of core",
             Plus({"client/data/", "client/make_tensor.h", "client/random.h", "absl/", "zlib.h",
                   "core/config/edit_distance.h"},
                  Proto())},
            {"client/cli/", "the library and its data from the command line",
             Plus({"client/", "absl/", "CLI/", "openssl/"}, Proto())},
            {"tests/core/",
             "core is tested without the rest of the service",
             {"tests/core/", "core/", "Eigen/", "absl/", "gtest/", "gmock/", "malloc.h"}}});
  return kLayers;
}

std::vector<Finding> CheckIncludes(const SourceFile& file) {
  std::vector<Finding> findings;
  const Layer* layer = LayerOf(file.path);
  if (layer == nullptr || !IsCpp(file.path)) return findings;
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    ++number;
    const std::string_view header = IncludedHeader(line);
    if (header.empty() || IsAllowed(*layer, header)) continue;
    findings.push_back({file.path, number,
                        std::string(layer->folder) + " (" + std::string(layer->purpose) +
                            ") may not include <" + std::string(header) +
                            ">; besides the standard library it may include " +
                            Join(layer->allowed) +
                            (layer->denied.empty() ? "" : " but not " + Join(layer->denied))});
  }
  return findings;
}

}  // namespace prequel::style
