// What durability costs: syncing beside learning, replay beside the fold.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/make_tensor.h"
#include "server/engine/engine.h"
#include "server/engine/records/minibatch.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/wire_codec.h"
#include "tests/accept/durability.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

// Of all threads of this process: others on the machine do not count.
double ProcessorSeconds(const std::function<void()>& work) {
  const auto now = [] {
    std::timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// Median microseconds of an 8 KiB append and its fdatasync, alone.
double SyncMicros() {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path());
  const int fd = ::open((folder.path() + "/sync").c_str(), O_CREAT | O_WRONLY, 0600);
  const std::string bytes(8192, 'x');
  std::vector<double> micros;
  for (int i = 0; i < 200; ++i) {
    micros.push_back(1e6 * Seconds([&] {
                       if (::write(fd, bytes.data(), bytes.size()) < 0 || ::fdatasync(fd) != 0)
                         std::abort();
                     }));
  }
  ::close(fd);
  return Quantile(micros, 0.5);
}

constexpr int kStreams = 8, kStreamBatches = 400, kRounds = 7;

// Rows per second of as many streams at once, each to a model of its own.
double StreamedRows(Served& served) {
  const double seconds = Seconds([&] {
    std::vector<std::thread> streams;
    for (int i = 0; i < kStreams; ++i) {
      streams.emplace_back(
          [&served, i] { served.Stream("m" + std::to_string(i), kStreamBatches); });
    }
    for (std::thread& stream : streams) stream.join();
  });
  return kStreams * kStreamBatches * static_cast<double>(kServedRows) / seconds;
}

void SyncedStreams(Report& report) {
  report.Section("LearnStream, synced and not");
  Served synced(true), unsynced(false);
  for (int i = 0; i < kStreams; ++i) {
    synced.Create("m" + std::to_string(i));
    unsynced.Create("m" + std::to_string(i));
  }
  std::vector<double> ratios, with, without;
  for (int round = 0; round <= kRounds; ++round) {
    const double a = StreamedRows(synced), b = StreamedRows(unsynced);
    if (round == 0) continue;  // connections, caches
    with.push_back(a);
    without.push_back(b);
    ratios.push_back(a / b);
  }
  report.Add({"rows/s synced over rows/s not synced", Quantile(ratios, 0.5), 0, 0.8,
              Direction::kAtLeast,
              Text("8 streams, 8 models of 16 inputs, 256 rows a minibatch, median of 7: %.3g and "
                   "%.3g rows/s; a write of 8 KiB with fdatasync alone %.0f us",
                   {Quantile(with, 0.5), Quantile(without, 0.5), SyncMicros()})});
}

constexpr int kModels = 1000, kBatchesEach = 1000;

std::string Logged(int index) {
  v1::Batch batch;
  std::vector<double> inputs, targets;
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 4; ++i) inputs.push_back(0.25 * ((index + row * 7 + i * 3) % 11) - 1);
    targets.push_back((index + row) % 2);
  }
  *batch.mutable_inputs() = client::MakeTensor(inputs, {4, 4}, v1::Tensor::DTYPE_FLOAT32);
  *batch.mutable_targets() = client::MakeTensor(targets, {4}, v1::Tensor::DTYPE_FLOAT32);
  return batch.SerializeAsString();
}

// Fills the logs as learning would, in groups of every model's next minibatch.
std::vector<LogId> FillLogs(Store& store, const std::string& config) {
  std::vector<LogId> logs;
  for (int i = 0; i < kModels; ++i) {
    const std::string name = "m" + std::to_string(i);
    logs.push_back(store.catalogue().CreateModel(name, config, 0, nullptr).value().log);
  }
  for (int t = 0; t < kBatchesEach; ++t) {
    const std::string payload = Logged(t);
    std::vector<LogRecord> records;
    for (const LogId log : logs) {
      records.push_back({.log = log,
                         .type = Minibatch::kType,
                         .producer = "producer",
                         .sequence = static_cast<std::uint64_t>(t) + 1,
                         .payload = payload});
    }
    MustBeOk(store.log().Append(records));
  }
  return logs;
}

void ReadLogs(Store& store, const std::vector<LogId>& logs) {
  std::size_t bytes = 0;
  for (const LogId log : logs) {
    MustBeOk(VisitLog(store.log(), log, 0, [&bytes](const LogRecord& record) {
      bytes += record.payload.size();
      return absl::OkStatus();
    }));
  }
  if (bytes == 0) std::abort();
}

void FoldSome(const LearnerConfig& config, int models) {
  const Learner learner = Learner::Create(config).value();
  const WireCodec codec;
  Scratch scratch;
  std::vector<std::string> payloads;
  for (int t = 0; t < kBatchesEach; ++t) payloads.push_back(Logged(t));
  for (int model = 0; model < models; ++model) {
    LearnerState now = learner.Initial(), next;
    for (const std::string& payload : payloads) {
      const Batch batch = codec.DecodeBatch(payload).value();
      MustBeOk(learner.CheckBatch(batch));
      MustBeOk(learner.Update(now, batch, scratch, next).status());
      std::swap(now, next);
    }
  }
}

// What replay cannot do without: each minibatch decoded, checked and folded, on as many threads.
void FoldLogs(const LearnerConfig& config) {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::thread> folding;
  for (int i = 0; i < threads; ++i) {
    folding.emplace_back(FoldSome, std::cref(config), (kModels + i) / threads);
  }
  for (std::thread& thread : folding) thread.join();
}

LearnerConfig SmallConfig() {
  v1::ModelConfig config = ServedConfig();
  config.mutable_features(0)->set_width(4);
  return Learner::Create(wire::ConfigFromProto(config).value()).value().config();
}

void Restart(Report& report) {
  report.Section("restart of many small models");
  const ScratchFolder folder;
  const LearnerConfig config = SmallConfig();
  std::vector<LogId> logs;
  {
    const auto store = RocksStore::Open({.directory = folder.path(), .sync = false}).value();
    logs = FillLogs(*store, wire::ConfigToBytes(config));
  }
  double reading = 0, seconds = 0;
  {
    const auto store = RocksStore::Open({.directory = folder.path()}).value();
    ReadLogs(*store, logs);  // from the disk; what is measured comes from memory, as below
    reading = ProcessorSeconds([&] { ReadLogs(*store, logs); });
  }
  double folding = ProcessorSeconds([&] { FoldLogs(config); });
  const WireCodec codec;
  const SystemClock clock;
  std::unique_ptr<RocksStore> store;
  std::unique_ptr<Engine> engine;
  const double restart = ProcessorSeconds([&] {
    seconds = Seconds([&] {
      store = RocksStore::Open({.directory = folder.path()}).value();
      engine = Engine::Create(
                   {}, {store->catalogue(), store->log(), store->snapshots(), codec, clock, {}})
                   .value();
      engine->AwaitReady();
    });
  });
  // Before and after: the machine is not always as fast.
  folding = 0.5 * (folding + ProcessorSeconds([&] { FoldLogs(config); }));
  const std::int64_t revision = engine->GetPublished("m7").value().revision;
  report.Add({"minibatches replayed of each", static_cast<double>(revision), 0, kBatchesEach,
              Direction::kAtLeast, "1,000 models of 4 inputs, minibatches of 4 rows"});
  report.Add({"processor time over that of reading and folding", restart / (reading + folding), 0,
              2, Direction::kAtMost,
              Text("%.2f s over %.2f s of reading and %.2f s of folding; %.1f s to ready",
                   {restart, reading, folding, seconds})});
}

}  // namespace

void MeasureSpeed(Report& report) {
  SyncedStreams(report);
  Restart(report);
}

}  // namespace prequel::accept
