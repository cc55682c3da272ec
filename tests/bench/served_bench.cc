// The served path: client, gRPC, a synced log and the fold, on this machine's cores, beside the
// fold alone and the synced writes alone.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/client.h"
#include "client/tensor.h"
#include "core/learner.h"
#include "core/random/philox.h"
#include "server/server.h"
#include "server/storage/rocks_store.h"
#include "server/wire/batch.h"
#include "server/wire/config.h"

namespace prequel {
namespace {

constexpr Index kInputs = 16;
constexpr Index kRows = 256;
constexpr int kBatches = 2000;

// A folder of its own, removed with all it holds.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("prequel-bench-" + std::to_string(::getpid()) + "-" + std::to_string(next_++))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_ / "data"; }

 private:
  static inline std::atomic<int> next_{0};
  const std::filesystem::path path_;
};

v1::ModelConfig Config() {
  v1::ModelConfig config;
  v1::Feature& feature = *config.add_features();
  feature.set_name("x");
  feature.set_width(kInputs);
  config.mutable_target()->set_name("y");
  config.mutable_likelihood()->set_name("bernoulli");
  config.mutable_posterior()->set_name("diagonal");
  return config;
}

// 64 distinct minibatches as a producer would send them: float32 tensors.
const std::vector<v1::Batch>& Minibatches() {
  static const std::vector<v1::Batch> kBatchesSent = [] {
    std::vector<v1::Batch> batches;
    for (std::uint64_t t = 0; t < 64; ++t) {
      Matrix x(kInputs, kRows);
      FillNormal(Stream{1, t, 0}, x);
      const Vector targets = (x.row(0).array() > 0).cast<double>();
      v1::Batch batch;
      *batch.mutable_inputs() = client::MakeTensor({x.data(), x.data() + x.size()},
                                                   {kRows, kInputs}, v1::Tensor::FLOAT32);
      *batch.mutable_targets() = client::MakeTensor({targets.data(), targets.data() + kRows},
                                                    {kRows}, v1::Tensor::FLOAT32);
      batches.push_back(std::move(batch));
    }
    return batches;
  }();
  return kBatchesSent;
}

const v1::Batch& Minibatch(int index) {
  return Minibatches()[static_cast<std::size_t>(index) % Minibatches().size()];
}

void Abort(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

void ReportRows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kBatches * kRows);
}

// The fold alone: the same minibatches, decoded from the same bytes.
void FoldInProcess(benchmark::State& state) {
  const Learner learner = *Learner::Create(*wire::ConfigFromProto(Config()));
  Scratch scratch;
  for (auto _ : state) {
    LearnerState now = learner.Initial(), next;
    for (int t = 0; t < kBatches; ++t) {
      const Batch batch = *wire::BatchFromProto(Minibatch(t), wire::kAnyRows);
      Abort(learner.CheckBatch(batch));
      Abort(learner.Update(now, batch, scratch, next).status());
      std::swap(now, next);
    }
  }
  ReportRows(state);
}

// The synced writes alone: the same bytes, one append each.
void SyncedWrites(benchmark::State& state) {
  std::vector<std::string> records;
  for (const v1::Batch& batch : Minibatches()) records.push_back(batch.SerializeAsString());
  for (auto _ : state) {
    const Folder folder;
    auto store = RocksStore::Open({.directory = folder.path()});
    Abort(store.status());
    const StoredModel model = *(*store)->CreateModel("m", "", 0, nullptr);
    for (int t = 0; t < kBatches; ++t) {
      LogRecord record;
      record.log = model.log;
      record.offset = static_cast<std::uint64_t>(t);
      record.payload = records[static_cast<std::size_t>(t) % records.size()];
      Abort((*store)->Append({&record, 1}));
    }
  }
  ReportRows(state);
}

struct Served {
  explicit Served(bool sync) {
    ServerOptions options;
    options.data_dir = folder.path();
    options.listen = "127.0.0.1:0";
    options.http = "";
    options.sync = sync;
    auto started = Server::Start(options);
    Abort(started.status());
    server = *std::move(started);
    server->AwaitReady();
    client = std::make_unique<client::Client>(client::ClientOptions{.server = server->address()});
    Abort(client->CreateModel("m", Config()).status());
  }

  void Stream(int batches) {
    auto stream =
        client->OpenLearnStream("m", {}, [](const auto& ack) { Abort(ack.result.status()); });
    for (int t = 0; t < batches; ++t) Abort(stream->Send(Minibatch(t)));
    Abort(stream->Finish());
  }

  Folder folder;
  std::unique_ptr<Server> server;
  std::unique_ptr<client::Client> client;
};

// The CPU time is that of client and server together: rows per second cannot exceed what all cores
// can spend of it. Synced, the rows of one window in the time of two syncs are the other bound.
void LearnStreamServed(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto served = std::make_unique<Served>(state.range(0) == 1);
    served->Stream(64);
    state.ResumeTiming();
    served->Stream(kBatches);
    state.PauseTiming();
    served.reset();
    state.ResumeTiming();
  }
  ReportRows(state);
}

// Latency of Predict for 16 rows, alone and while one stream learns as fast as it can.
void PredictServed(benchmark::State& state) {
  Served served(true);
  served.Stream(64);
  v1::Batch query;
  std::vector<double> zeros(16 * kInputs, 0.1);
  *query.mutable_inputs() = client::MakeTensor(zeros, {16, kInputs});
  std::atomic<bool> stop{false};
  std::thread learning;
  if (state.range(0) == 1) {
    learning = std::thread([&] {
      while (!stop) served.Stream(200);
    });
  }
  std::vector<double> micros;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    Abort(served.client->Predict("m", query).status());
    micros.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  stop = true;
  if (learning.joinable()) learning.join();
  std::sort(micros.begin(), micros.end());
  state.counters["p50_us"] = micros[micros.size() / 2];
  state.counters["p99_us"] = micros[micros.size() * 99 / 100];
}

BENCHMARK(FoldInProcess)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(SyncedWrites)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(LearnStreamServed)
    ->ArgName("sync")
    ->MeasureProcessCPUTime()
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(PredictServed)
    ->ArgName("learning")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(3000)
    ->UseRealTime();

}  // namespace
}  // namespace prequel
