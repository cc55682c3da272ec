// Whether queries and learning notice that a large snapshot of another model is stored.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "client/make_tensor.h"
#include "core/archive/crc32c.h"
#include "server/engine/engine_options.h"
#include "tests/accept/durability.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A network whose diagonal posterior's state takes 100 MiB.
constexpr Index kWideInputs = 98;
constexpr int kWideHidden = 1 << 16;

v1::ModelConfig WideConfig() {
  v1::ModelConfig config = ServedConfig();
  config.mutable_features(0)->set_width(kWideInputs);
  config.mutable_model()->set_name("mlp");
  auto& hidden = (*config.mutable_model()->mutable_options()->mutable_fields())["hidden"];
  hidden.mutable_list_value()->add_values()->set_number_value(kWideHidden);
  auto& passes = (*config.mutable_rule()->mutable_options()->mutable_fields())["passes"];
  passes.set_number_value(1);
  return config;
}

v1::Batch OneRow(std::size_t width) {
  v1::Batch batch;
  const auto columns = static_cast<std::int64_t>(width);
  *batch.mutable_inputs() = client::MakeTensor(std::vector<double>(width, 0.25), {1, columns});
  *batch.mutable_targets() = client::MakeTensor({1.0}, {1});
  return batch;
}

v1::Batch Query() {
  v1::Batch batch;
  *batch.mutable_inputs() =
      client::MakeTensor(std::vector<double>(16 * kServedInputs, 0.25), {16, kServedInputs});
  return batch;
}

// What storing a state takes without any store, at the same pace: its bytes are put together in
// fresh memory, checked and written to a file, and the file that it replaces is deleted bit by bit.
class BareCopy {
 public:
  BareCopy() { std::filesystem::create_directories(folder_.path()); }

  void Take() {
    constexpr std::size_t kPiece = std::size_t{256} << 10, kCut = std::size_t{4} << 20;
    constexpr std::chrono::milliseconds kNap(16);  // 256 MiB a second
    std::string bytes;
    bytes.reserve(kBytes);
    while (bytes.size() < kBytes) bytes.append(kPiece, static_cast<char>(bytes.size() >> 18));
    const std::string name = folder_.path() + "/" + std::to_string(++number_);
    const int fd = ::open(name.c_str(), O_CREAT | O_WRONLY, 0600);
    const auto start = SteadyClock::now();
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < kBytes; at += kPiece) {
      std::this_thread::sleep_until(
          start + std::chrono::duration_cast<SteadyClock::duration>(
                      std::chrono::duration<double>(static_cast<double>(at) / bytes_per_second_)));
      const std::string piece = bytes.substr(at, kPiece);
      crc = Crc32c(piece, crc);
      const auto written = static_cast<std::size_t>(::write(fd, piece.data(), piece.size()));
      if (written != piece.size()) std::abort();
      ::sync_file_range(fd, static_cast<off64_t>(at), kPiece,
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE);
    }
    if (crc == 0 || ::fdatasync(fd) != 0) std::abort();
    ::close(fd);
    const std::string old = folder_.path() + "/" + std::to_string(number_ - 1);
    for (std::size_t left = number_ > 1 ? kBytes : 0; left > 0; left -= std::min(left, kCut)) {
      std::filesystem::resize_file(old, left - std::min(left, kCut));
      std::this_thread::sleep_for(kNap);
    }
    std::filesystem::remove(old);
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{100} << 20;
  const double bytes_per_second_ = static_cast<double>(SnapshotOptions().bytes_per_second);

  const ScratchFolder folder_;
  int number_ = 0;
};

constexpr std::chrono::milliseconds kSettled(500);

// In microseconds, of a small model.
struct Latencies {
  std::vector<double> predict, learn;

  // One minibatch, or one query.
  void Probe(Served& served, bool learns) {
    static const v1::Batch query = Query(), row = OneRow(kServedInputs);
    (learns ? learn : predict)
        .push_back(1e6 * Seconds([&] {
                     MustBeOk(learns ? served.client->Learn("small", row).status()
                                     : served.client->Predict("small", query).status());
                   }));
  }

  // As many as there is time for while `work` is done on another thread, and somewhat longer.
  std::size_t ProbeBeside(Served& served, bool learns, const std::function<void()>& work) {
    std::atomic<bool> done = false;
    std::thread other([&] {
      work();
      done = true;
    });
    std::size_t probes = 0;
    for (; !done; ++probes) Probe(served, learns);
    other.join();
    const auto settled = SteadyClock::now() + kSettled;
    for (; SteadyClock::now() < settled; ++probes) Probe(served, learns);
    std::this_thread::sleep_for(kSettled);
    return probes;
  }
};

// The ratios of `busy` to both others.
void AddLatency(const std::string& what, const std::vector<double>& busy,
                const std::vector<double>& quiet, const std::vector<double>& bare, Report& report) {
  const auto add = [&](const std::string& beside, const std::vector<double>& other,
                       Direction direction) {
    report.Add({what + ": p99 beside the snapshot over p99 " + beside,
                Quantile(busy, 0.99) / Quantile(other, 0.99), 0, 2, direction,
                Text("of a small model, one client: p50 and p99 %.0f and %.0f us, over %.0f and "
                     "%.0f us; at most %.0f us",
                     {Quantile(busy, 0.5), Quantile(busy, 0.99), Quantile(other, 0.5),
                      Quantile(other, 0.99), Quantile(busy, 1)})});
  };
  add("quiet", quiet, Direction::kAtMost);
  add("beside a bare copy to disk", bare, Direction::kReported);
}

}  // namespace

void AnswerBesideSnapshots(Report& report) {
  report.Section("Predict and Learn while a snapshot of another model is stored");
  constexpr int kRounds = 12;
  Served served(true);
  served.Create("small");
  served.Stream("small", 64);
  served.Create("wide", WideConfig());
  const v1::Batch row = OneRow(kWideInputs);
  BareCopy copy;
  Latencies busy, quiet, bare;
  std::vector<double> seconds;
  double bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const bool learns = round % 2 == 1;
    MustBeOk(served.client->Learn("wide", row).status());
    std::this_thread::sleep_for(kSettled);  // what that leaves behind is not the snapshot's
    std::size_t probes = busy.ProbeBeside(served, learns, [&] {
      seconds.push_back(Seconds([&] {
        const auto taken = served.client->CreateSnapshot("wide");
        MustBeOk(taken.status());
        bytes = static_cast<double>(taken->bytes());
      }));
    });
    for (; probes > 0; --probes) quiet.Probe(served, learns);
    bare.ProbeBeside(served, learns, [&copy] { copy.Take(); });
  }
  AddLatency("Predict", busy.predict, quiet.predict, bare.predict, report);
  AddLatency("Learn", busy.learn, quiet.learn, bare.learn, report);
  report.Add({"MiB of the snapshot", bytes / (1 << 20), 0, 100, Direction::kAtLeast,
              Text("a network of 6.5M weights, diagonal posterior; stored in %.2g s",
                   {Quantile(seconds, 0.5)})});
}

}  // namespace prequel::accept
