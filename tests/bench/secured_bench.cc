// What TLS and a policy cost: a server that has both beside one that has neither, in turns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "client/tensor.h"
#include "server/auth/token_hash.h"
#include "tests/bench/served.h"
#include "tests/server/auth/certificates.h"

namespace prequel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStreamed = 500;  // minibatches in one turn

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A server with TLS, and a client with a token.
class Secured {
 public:
  Secured() : folder_(scratch_.path()) {
    std::filesystem::create_directories(folder_);
    const Authority authority;
    const Issued issued = authority.IssueForLoopback();
    const TokenHash hash = HashToken("token");
    ServerOptions options;
    options.tls_cert = Write("cert", issued.certificate);
    options.tls_key = Write("key", issued.key);
    options.policy = Write(
        "policy",
        "[bench]\ntoken = sha256:" +
            absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()}) +
            "\nrole = admin\nmodels = *\ncalls_in_flight = 1000\n");
    client::SecurityOptions security;
    security.ca = Write("ca", authority.pem());
    security.token = "token";
    served_ = std::make_unique<Served>(true, options, security);
  }

  Served& served() { return *served_; }

 private:
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  ScratchFolder scratch_;
  const std::filesystem::path folder_;
  std::unique_ptr<Served> served_;
};

struct Pair {
  Pair() {
    for (Served* served : {&plain, &secured.served()}) {
      served->Create("m");
      served->Stream("m", 64);
    }
  }
  Served plain{true};
  Secured secured;
};

void Report(benchmark::State& state, const std::vector<double>& plain,
            const std::vector<double>& secured) {
  state.counters["plain_us"] = 1e6 * MedianOf(plain);
  state.counters["secured_us"] = 1e6 * MedianOf(secured);
  state.counters["ratio"] = MedianOf(secured) / MedianOf(plain);
}

// Median latency of Predict for 16 rows.
void PredictSecured(benchmark::State& state) {
  Pair pair;
  v1::Batch query;
  const std::vector<double> values(16 * kServedInputs, 0.1);
  *query.mutable_inputs() = client::MakeTensor(values, {16, kServedInputs});
  const auto time = [&query](Served& served) {
    const Clock::time_point start = Clock::now();
    MustBeOk(served.client->Predict("m", query).status());
    return Since(start);
  };
  std::vector<double> plain, secured;
  for (auto _ : state) {
    plain.push_back(time(pair.plain));
    secured.push_back(time(pair.secured.served()));
  }
  Report(state, plain, secured);
}

// Median time of a stream of minibatches.
void LearnStreamSecured(benchmark::State& state) {
  Pair pair;
  const auto time = [](Served& served) {
    const Clock::time_point start = Clock::now();
    served.Stream("m", kStreamed);
    return Since(start);
  };
  std::vector<double> plain, secured;
  for (auto _ : state) {
    plain.push_back(time(pair.plain));
    secured.push_back(time(pair.secured.served()));
  }
  Report(state, plain, secured);
}

BENCHMARK(PredictSecured)->Unit(benchmark::kMicrosecond)->Iterations(3000)->UseRealTime();
BENCHMARK(LearnStreamSecured)->Unit(benchmark::kMillisecond)->Iterations(30)->UseRealTime();

}  // namespace
}  // namespace prequel
