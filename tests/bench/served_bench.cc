// The served path: client, gRPC, a synced log and the fold, on this machine's cores, beside the
// fold alone and the synced writes alone.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/make_tensor.h"
#include "core/learner/learner.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/wire/batch_message.h"
#include "server/wire/config.h"
#include "tests/bench/served.h"

namespace prequel {
namespace {

constexpr int kBatches = 2000;

void ReportRows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kBatches * kServedRows);
}

// The fold alone: the same minibatches, decoded from the same bytes.
void FoldInProcess(benchmark::State& state) {
  const Learner learner = *Learner::Create(*wire::ConfigFromProto(ServedConfig()));
  Scratch scratch;
  for (auto _ : state) {
    LearnerState now = learner.Initial(), next;
    for (int t = 0; t < kBatches; ++t) {
      const Batch batch = *wire::BatchFromProto(ServedMinibatch(t), wire::kAnyRows);
      MustBeOk(learner.CheckBatch(batch));
      MustBeOk(learner.Update(now, batch, scratch, next).status());
      std::swap(now, next);
    }
  }
  ReportRows(state);
}

// The synced writes alone: the same bytes, one append each.
void SyncedWrites(benchmark::State& state) {
  std::vector<std::string> records;
  for (int t = 0; t < 64; ++t) records.push_back(ServedMinibatch(t).SerializeAsString());
  for (auto _ : state) {
    const ScratchFolder folder;
    auto store = RocksStore::Open({.directory = folder.path()});
    MustBeOk(store.status());
    const StoredModel model = *(*store)->catalogue().CreateModel("m", "", 0, nullptr);
    for (int t = 0; t < kBatches; ++t) {
      LogRecord record;
      record.log = model.log;
      record.payload = records[static_cast<std::size_t>(t) % records.size()];
      MustBeOk((*store)->log().Append({&record, 1}));
    }
  }
  ReportRows(state);
}

// The CPU time is that of client and server together: rows per second cannot exceed what all cores
// can spend of it. Synced, the rows of one window in the time of two syncs are the other bound.
void LearnStreamServed(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto served = std::make_unique<Served>(state.range(0) == 1);
    served->Create("m");
    served->Stream("m", 64);
    state.ResumeTiming();
    served->Stream("m", kBatches);
    state.PauseTiming();
    served.reset();
    state.ResumeTiming();
  }
  ReportRows(state);
}

// Latency of Predict for 16 rows, alone and while one stream learns as fast as it can.
void PredictServed(benchmark::State& state) {
  Served served(true);
  served.Create("m");
  served.Stream("m", 64);
  v1::Batch query;
  std::vector<double> zeros(16 * kServedInputs, 0.1);
  *query.mutable_inputs() = client::MakeTensor(zeros, {16, kServedInputs});
  std::atomic<bool> stop{false};
  std::thread learning;
  if (state.range(0) == 1) {
    learning = std::thread([&] {
      while (!stop) served.Stream("m", 200);
    });
  }
  std::vector<double> micros;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    MustBeOk(served.client->Predict("m", query).status());
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
