#include "tests/end_to_end/crash_run.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "client/client.h"
#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/crash_stream.h"

namespace prequel {
namespace {

using std::chrono::milliseconds;

constexpr int kMostRecoveringMs = 150;  // from the launch to a kill before the server is ready
// For a model to be replayed. Slow as it is under a sanitizer one of them is heavy, and has a tenth
// of a core beside the streams of the others.
constexpr std::chrono::minutes kPatience(2);

// What the producers have been told: which minibatch made which revision.
class Acknowledgements {
 public:
  struct Entry {
    int producer;
    std::int64_t sequence;
  };

  void Add(int model, std::int64_t revision, const Entry& entry, bool repeated) {
    std::lock_guard lock(mu_);
    ++count_;
    if (repeated) ++repeated_;
    if (!of_[model].emplace(revision, entry).second) ++twice_;
  }
  void Fail(const std::string& problem) {
    std::lock_guard lock(mu_);
    if (problem_.empty()) problem_ = problem;
  }

  // REQUIRES: no producer runs.
  const std::map<std::int64_t, Entry>& of(int model) { return of_[model]; }
  void Report(CrashResult* result) const {
    result->acknowledged = count_;
    result->repeated = repeated_;
    result->twice += twice_;
    result->problem = problem_;
  }

 private:
  std::mutex mu_;
  std::map<int, std::map<std::int64_t, Entry>> of_;
  std::int64_t count_ = 0, repeated_ = 0, twice_ = 0;
  std::string problem_;
};

std::string ModelName(int model) { return "m" + std::to_string(model); }

// A port that was free a moment ago.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  (void)bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  (void)getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

class CrashRun {
 public:
  explicit CrashRun(const CrashOptions& options)
      : options_(options),
        address_("127.0.0.1:" + std::to_string(FreePort())),
        client_({.server = address_}),
        random_(options.seed),
        connected_(options.models * options.producers) {}

  CrashResult Run() {
    if (!Start() || !CreateModels()) return Failed();
    std::vector<std::thread> producers;
    for (int m = 0; m < options_.models; ++m) {
      for (int p = 0; p < options_.producers; ++p) {
        producers.emplace_back([this, m, p] { Produce(m, p); });
      }
    }
    connected_.wait();
    while (result_.kills < options_.kills && KillAndRestart()) {
    }
    stop_ = true;
    for (std::thread& producer : producers) producer.join();
    acknowledgements_.Report(&result_);
    if (!result_.problem.empty()) return result_;
    // Once more, with nobody writing: what is compared has been through a restart.
    server_->Signal(SIGKILL);
    if (!Start()) return Failed();
    for (int m = 0; m < options_.models; ++m) Compare(m);
    return result_;
  }

 private:
  CrashResult Failed() {
    if (result_.problem.empty()) result_.problem = "the server did not start";
    return result_;
  }

  void Launch() {
    std::vector<std::string> command = {options_.prequeld, "--data-dir=" + options_.directory,
                                        "--listen=" + address_, "--http="};
    command.insert(command.end(), options_.flags.begin(), options_.flags.end());
    server_.reset();
    server_ = std::make_unique<ChildProcess>(command);
  }

  bool Start() {
    const auto start = std::chrono::steady_clock::now();
    Launch();
    if (server_->ReadLine().empty()) return false;
    while (!client_.CheckHealth().value_or(false)) {
      if (std::chrono::steady_clock::now() - start > kPatience) return false;
      std::this_thread::sleep_for(milliseconds(2));
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    result_.restart_ms += (took.count() - result_.restart_ms) / ++starts_;
    return true;
  }

  bool CreateModels() {
    for (int m = 0; m < options_.models; ++m) {
      const absl::Status status = client_.CreateModel(ModelName(m), CrashConfig(m)).status();
      if (!status.ok()) result_.problem = status.ToString();
    }
    return result_.problem.empty();
  }

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  void KillAfter(int ms) {
    std::this_thread::sleep_for(milliseconds(ms));
    server_->Signal(SIGKILL);
    ++result_.kills;
  }

  // Every third time it is killed again while it recovers, perhaps more than once.
  bool KillAndRestart() {
    KillAfter(Draw(options_.min_alive_ms, options_.max_alive_ms));
    while (Draw(0, 2) == 0) {
      Launch();
      KillAfter(Draw(1, kMostRecoveringMs));
      ++result_.kills_recovering;
    }
    return Start();
  }

  void Produce(int model, int producer) {
    client::Client client({.server = address_});
    client::LearnStreamOptions options{.producer = "producer-" + std::to_string(producer)};
    options.retry.longest = milliseconds(200);
    options.retry.give_up = kPatience;
    const std::unique_ptr<client::LearnStream> stream =
        client.OpenLearnStream(ModelName(model), options, [&](const client::LearnAck& ack) {
          if (!ack.result.ok()) return acknowledgements_.Fail(ack.result.status().ToString());
          acknowledgements_.Add(model, ack.result->revision(), {producer, ack.sequence},
                                ack.result->repeated());
        });
    // A server that a client has never reached is an error, one that goes away is waited for.
    absl::Status status = stream->NextSequence().status();
    connected_.count_down();
    for (std::int64_t sequence = 1; status.ok() && !stop_; ++sequence) {
      status = stream->Send(CrashBatch(model, producer, sequence));
    }
    if (status.ok()) status = stream->Finish();
    if (!status.ok()) acknowledgements_.Fail(status.ToString());
  }

  // Revisions must be 1, 2, 3, … without a gap, and those of a producer in the order of its
  // numbers; their fold must answer as the server does.
  void Compare(int model) {
    const v1::Batch query = CrashQuery();
    const auto predicted = client_.Predict(ModelName(model), query, CrashPredictOptions());
    const auto evaluated = client_.GetEvaluation(ModelName(model));
    if (!predicted.ok() || !evaluated.ok()) {
      result_.problem = predicted.status().ToString() + evaluated.status().ToString();
      return;
    }
    PlainFold fold(CrashConfig(model));
    std::map<int, std::int64_t> last;
    std::int64_t due = 1;
    for (const auto& [revision, entry] : acknowledgements_.of(model)) {
      result_.lost += revision - due;  // a revision that nobody was told of
      due = revision + 1;
      if (entry.sequence != ++last[entry.producer]) ++result_.twice;
      fold.Learn(CrashBatch(model, entry.producer, entry.sequence));
    }
    result_.lost += std::abs(predicted->revision() - (due - 1));
    std::string file;
    const absl::Status exported = client_.ExportModel(
        ModelName(model), std::nullopt, [&](const std::string& piece) { file += piece; });
    if (!exported.ok()) result_.problem = exported.ToString();
    if (fold.Predict(query) != predicted->predictions().SerializeAsString() ||
        fold.Evaluation() != evaluated->SerializeAsString() || !fold.IsIn(file)) {
      ++result_.different;
    }
  }

  const CrashOptions options_;
  const std::string address_;
  client::Client client_;
  std::mt19937_64 random_;
  std::unique_ptr<ChildProcess> server_;
  int starts_ = 0;
  std::latch connected_;  // producers
  std::atomic<bool> stop_ = false;
  Acknowledgements acknowledgements_;
  CrashResult result_;
};

}  // namespace

CrashResult RunCrashes(const CrashOptions& options) { return CrashRun(options).Run(); }

}  // namespace prequel
