// prequel_greedy SERVER MODELS THREADS learning|samples [CA_FILE TOKEN_FILE]: somebody who wants
// all that a server has (see Greed). Says how many calls were answered once it is told to stop.
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/entrance.h"
#include "tests/accept/guard/greed.h"

namespace prequel::accept {
namespace {

constexpr int kCallsOfAConnection = 4, kRows = 64, kColumns = 600, kSamples = 1000;

std::string ContentOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Calls on one connection; how many were answered.
int Take(const Entrance& server, const std::string& model, bool learns) {
  const std::unique_ptr<v1::LearningService::Stub> stub = LearningStub(server);
  int answered = 0;
  for (int i = 0; i < kCallsOfAConnection; ++i) {
    const grpc::Status status =
        learns ? Learn(*stub, model, kRows, kColumns) : Predict(*stub, model, kColumns, kSamples);
    if (status.ok()) ++answered;
  }
  return answered;
}

int BeGreedy(const Entrance& server, const Greed::Wants& wants, const sigset_t& stop) {
  std::atomic<bool> stopped = false;
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < wants.threads; ++i) {
    threads.emplace_back([&, i] {
      const bool learns = !wants.samples || i % 4 < 2;
      while (!stopped) answered += Take(server, absl::StrCat(wants.models, "-", i % 2), learns);
    });
  }
  int signal = 0;
  sigwait(&stop, &signal);
  stopped = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("%d\n", answered.load());
  return 0;
}

}  // namespace

int Main(int argc, char** argv) {
  Greed::Wants wants;
  if ((argc != 5 && argc != 7) || !absl::SimpleAtoi(argv[3], &wants.threads)) {
    std::fprintf(stderr,
                 "usage: prequel_greedy SERVER MODELS THREADS learning|samples "
                 "[CA_FILE TOKEN_FILE]\n");
    return 2;
  }
  wants.models = argv[2];
  wants.samples = std::string(argv[4]) == "samples";
  Entrance server = {.address = argv[1]};
  if (argc == 7) {
    server.ca = ContentOf(argv[5]);
    server.token = ContentOf(argv[6]);
  }
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  return BeGreedy(server, wants, stop);
}

}  // namespace prequel::accept

int main(int argc, char** argv) { return prequel::accept::Main(argc, argv); }
