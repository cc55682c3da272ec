// prequel_greedy SERVER learning|samples|nonsense MODELS THREADS [CA_FILE TOKEN_FILE]: somebody who
// wants all that a server has (see Greed). Goes on until it is killed, and says every 100 ms how
// many calls have been answered: those that learned, that sampled, that were told that they are
// nonsense, and those that were refused.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/accept/greedy/nonsense.h"
#include "tests/accept/guard/calls.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {
namespace {

constexpr int kRows = 64, kColumns = 600, kSamples = 1000;
constexpr int kCallsOfAConnection = 4, kNonsenseOfAConnection = 1000;
constexpr std::chrono::milliseconds kBetweenLines(100);

enum Kind : std::size_t { kLearned, kSampled, kUndecodable, kRefused };

class Greedy {
 public:
  Greedy(Entrance server, std::string what, std::string models)
      : server_(std::move(server)), what_(std::move(what)), models_(std::move(models)) {}

  [[noreturn]] void Run(int threads) {
    for (int i = 0; i < threads; ++i) {
      std::thread([this, i] {
        for (;;) what_ == "nonsense" ? SendNonsenseOnce() : TakeOnce(i);
      }).detach();
    }
    for (;;) {
      std::puts(absl::StrCat(calls_[kLearned].load(), " ", calls_[kSampled].load(), " ",
                             calls_[kUndecodable].load(), " ", calls_[kRefused].load())
                    .c_str());
      std::fflush(stdout);
      std::this_thread::sleep_for(kBetweenLines);
    }
  }

 private:
  // On one connection, as below.
  void TakeOnce(int thread) {
    const bool samples = what_ == "samples" && thread % 4 >= 2;
    const std::string model = absl::StrCat(models_, "-", thread % 2);
    const std::unique_ptr<v1::LearningService::Stub> stub = LearningStub(server_);
    for (int i = 0; i < kCallsOfAConnection; ++i) {
      const grpc::Status status = samples ? Predict(*stub, model, kColumns, kSamples)
                                          : Learn(*stub, model, kRows, kColumns);
      ++calls_[!status.ok() ? kRefused : samples ? kSampled : kLearned];
    }
  }

  void SendNonsenseOnce() {
    const std::shared_ptr<grpc::Channel> channel = OwnChannel(server_);
    for (int i = 0; i < kNonsenseOfAConnection; ++i) {
      ++calls_[SendNonsense(channel, i) ? kUndecodable : kRefused];
    }
  }

  const Entrance server_;
  const std::string what_, models_;
  std::array<std::atomic<std::int64_t>, 4> calls_{};
};

std::string ContentOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int Main(int argc, char** argv) {
  int threads = 0;
  if ((argc != 5 && argc != 7) || !absl::SimpleAtoi(argv[4], &threads)) {
    std::fprintf(stderr,
                 "usage: prequel_greedy SERVER learning|samples|nonsense MODELS THREADS "
                 "[CA_FILE TOKEN_FILE]\n");
    return 2;
  }
  Entrance server = {.address = argv[1]};
  if (argc == 7) {
    server.ca = ContentOf(argv[5]);
    server.token = ContentOf(argv[6]);
  }
  Greedy(server, argv[2], argv[3]).Run(threads);
}

}  // namespace prequel::accept

int main(int argc, char** argv) { return prequel::accept::Main(argc, argv); }
