// What calls cost that wait for a revision, as long as nothing happens: read your writes.
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "tests/accept/durability.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/ready_line.h"

namespace prequel::accept {
namespace {

constexpr int kWaiters = 10'000;
constexpr int kConnections = 64;  // each carries at most 256 calls at once
constexpr std::chrono::seconds kSettled(3), kQuiet(10);

// Of a process, user and system.
double ProcessorSeconds(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string field;
  double ticks = 0;
  for (int i = 1; i <= 15 && stat >> field; ++i) {
    if (i >= 14) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Calls of Predict that are under way.
class Waiters {
 public:
  explicit Waiters(const std::string& server) : calls_(kWaiters) {
    for (int i = 0; i < kConnections; ++i) {
      grpc::ChannelArguments own;
      own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      stubs_.push_back(v1::LearningService::NewStub(
          grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), own)));
    }
    request_.set_name("models/m");
    *request_.mutable_batch() = ServedMinibatch(0);
    request_.mutable_batch()->clear_targets();
    request_.set_min_revision(1);
  }

  void Begin() {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      Call& call = calls_[i];
      stubs_[i % stubs_.size()]->async()->Predict(&call.context, &request_, &call.response,
                                                  [this](const grpc::Status& status) {
                                                    if (status.ok()) ++served_;
                                                    ++answered_;
                                                  });
    }
  }
  void AwaitAnswers() const {
    while (answered_ < kWaiters) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  int answered() const { return answered_; }
  int served() const { return served_; }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::PredictResponse response;
  };
  std::vector<std::unique_ptr<v1::LearningService::Stub>> stubs_;
  v1::PredictRequest request_;
  std::vector<Call> calls_;
  std::atomic<int> answered_ = 0, served_ = 0;
};

}  // namespace

void WaitForRevisions(Report& report) {
  report.Section("calls that wait for a revision");
  const ScratchFolder folder;
  ChildProcess program({PREQUELD, "--data-dir=" + folder.path(), "--listen=127.0.0.1:0",
                        "--http=", absl::StrCat("--queue-calls=", 2 * kWaiters)});
  const std::string address = ReadReadyLine(program).grpc;
  client::Client client({.server = address});
  MustBeOk(client.CreateModel("m", ServedConfig()).status());
  Waiters waiters(address);
  waiters.Begin();
  std::this_thread::sleep_for(kSettled);
  const double before = ProcessorSeconds(program.pid());
  std::this_thread::sleep_for(kQuiet);
  const double spent = ProcessorSeconds(program.pid()) - before;
  const int early = waiters.answered();
  const double answering = Seconds([&] {
    MustBeOk(client.Learn("m", ServedMinibatch(0)).status());
    waiters.AwaitAnswers();
  });
  program.Signal(SIGTERM);
  const int code = program.Wait();

  const std::string setting =
      absl::StrCat(kWaiters, " calls of Predict with min_revision, ", kConnections, " connections");
  const auto add = [&](const char* name, double value, double target, Direction direction) {
    report.Add({name, value, 0, target, direction, setting});
  };
  add("seconds of the server's processor time in 10 s of waiting", spent, 0.1, Direction::kAtMost);
  add("answered before there was anything to answer", early, 0, Direction::kAtMost);
  add("answered with a prediction once there was", waiters.served(), kWaiters, Direction::kAtLeast);
  add("seconds from Learn to the last answer", answering, 0, Direction::kReported);
  add("exit code of the server", code, 0, Direction::kAtMost);
}

}  // namespace prequel::accept
