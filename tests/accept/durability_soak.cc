// Everything at once for most of an hour: do the memory, the files or the disk of a server grow?
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accept/durability.h"
#include "tests/bench/served.h"
#include "tests/end_to_end/child_process.h"
#include "tests/end_to_end/ready_line.h"

namespace prequel::accept {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kStreams = 3;
constexpr int kWindows = 8;  // of the whole time
constexpr int kWarmUp = 2;   // of them: memtables, caches and what models remember fill up

// PREQUEL_SOAK_SECONDS=60 for a look.
int SoakSeconds() {
  const char* seconds = std::getenv("PREQUEL_SOAK_SECONDS");
  return seconds == nullptr ? 48 * 60 : std::max(30, std::atoi(seconds));
}

// What the server holds at one moment.
struct Holding {
  double resident = 0;  // MiB of memory
  double files = 0;     // descriptors
  double disk = 0;      // MiB of blocks
};

Holding Look(int pid, const std::filesystem::path& data) {
  Holding now;
  const std::string proc = absl::StrCat("/proc/", pid);
  double pages = 0;
  std::ifstream(proc + "/statm") >> pages >> pages;
  now.resident = pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
  std::error_code gone;  // files come and go meanwhile
  for (std::filesystem::directory_iterator it(proc + "/fd", gone), end; it != end && !gone;
       it.increment(gone)) {
    ++now.files;
  }
  for (std::filesystem::recursive_directory_iterator it(data, gone), end; it != end && !gone;
       it.increment(gone)) {
    struct stat file {};
    if (::stat(it->path().c_str(), &file) == 0) {
      now.disk += 512 * static_cast<double>(file.st_blocks) / (1 << 20);
    }
  }
  return now;
}

// The clients. Each of its own thread, at a pace that leaves the machine room.
class Load {
 public:
  explicit Load(const std::string& server) : client_({.server = server}) {
    for (const char* model : {"s0", "s1", "s2", "p"}) {
      MustBeOk(client_.CreateModel(model, ServedConfig()).status());
    }
    for (int i = 0; i < kStreams; ++i) threads_.emplace_back([this, i] { Stream(i); });
    threads_.emplace_back([this] { Ask(); });
    threads_.emplace_back([this] { Administer(); });
  }
  ~Load() { Stop(); }
  void Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::int64_t learned() const { return learned_; }
  std::int64_t asked() const { return asked_; }
  std::int64_t administered() const { return administered_; }
  std::int64_t vanished() const { return vanished_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t unexpected() const { return unexpected_; }

 private:
  // Counts `status`, which should be OK, under `count`.
  void Expect(const absl::Status& status, std::atomic<std::int64_t>& count) {
    ++count;
    if (status.ok()) return;
    if (++unexpected_ <= 10) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  }
  void Rest(int ms) const {
    if (!stopping_) std::this_thread::sleep_for(milliseconds(ms));
  }

  // One stream after the other; of every third the client is gone in the middle.
  void Stream(int index) {
    const std::string model = absl::StrCat("s", index);
    for (int round = 0; !stopping_; ++round) {
      const auto stream = client_.OpenLearnStream(model, {}, [this](const client::LearnAck& ack) {
        Expect(ack.result.status(), learned_);
      });
      for (int i = 0; i < 500 && !stopping_; ++i) {
        MustBeOk(stream->Send(ServedMinibatch(i)));
        Rest(10);
      }
      if (round % 3 == 2) {
        ++vanished_;
      } else {
        MustBeOk(stream->Finish());
      }
    }
  }

  void Ask() {
    while (!stopping_) {
      for (int i = 0; i < kStreams; ++i) {
        Expect(client_.Predict(absl::StrCat("s", i), Query()).status(), asked_);
      }
      const auto both = client_.PredictThenLearn("p", ServedMinibatch(static_cast<int>(asked_)));
      Expect(both.status(), asked_);
      Rest(10);
    }
  }

  static v1::Batch Query() {
    v1::Batch batch = ServedMinibatch(0);
    batch.clear_targets();
    return batch;
  }

  // Models come and go, are taken back, and are sent what they cannot learn.
  void Administer() {
    while (!stopping_) {
      Expect(client_.ForkModel("s0", std::nullopt, "fork", nullptr).status(), administered_);
      Expect(client_.Predict("fork", Query()).status(), administered_);
      std::vector<std::string> file;
      const auto keep = [&file](const std::string& piece) { file.push_back(piece); };
      Expect(client_.ExportModel("fork", std::nullopt, keep), administered_);
      std::size_t next = 0;
      const auto give = [&] { return next < file.size() ? file[next++] : std::string(); };
      Expect(client_.ImportModel("copy", give).status(), administered_);
      for (const char* model : {"fork", "copy"}) {
        Expect(client_.DeleteModel(model), administered_);
      }
      const auto revisions = client_.ListRevisions("s1");
      Expect(revisions.status(), administered_);
      if (revisions.ok()) {
        const std::int64_t back =
            std::max(revisions->oldest_revision(), revisions->revision() - 50);
        Expect(client_.RollbackModel("s1", back).status(), administered_);
      }
      Expect(client_.CreateSnapshot("s2").status(), administered_);
      Expect(client_.GetEvaluation("s2").status(), administered_);
      Expect(client_.ListAllModels().status(), administered_);
      v1::Batch narrow = ServedMinibatch(0);
      narrow.mutable_inputs()->set_shape(1, kServedInputs - 1);
      if (client_.Learn("s2", narrow).ok()) ++unexpected_;
      ++refused_;
      Rest(1000);
    }
  }

  client::Client client_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> learned_ = 0, asked_ = 0, administered_ = 0, vanished_ = 0,
                            refused_ = 0, unexpected_ = 0;
  std::vector<std::thread> threads_;
};

// The mean of each window of the samples after the warm-up, and how far apart they are.
struct Course {
  std::vector<double> means;
  std::string text;

  Course(const std::vector<Holding>& samples, double Holding::*what) {
    for (std::size_t window = kWarmUp; window < kWindows; ++window) {
      const std::size_t from = samples.size() * window / kWindows;
      const std::size_t to = samples.size() * (window + 1) / kWindows;
      double sum = 0;
      for (std::size_t i = from; i < to; ++i) sum += samples[i].*what;
      means.push_back(sum / static_cast<double>(to - from));
      absl::StrAppendFormat(&text, "%s%.4g", means.size() == 1 ? "" : ", ", means.back());
    }
  }
  // Percent by which the farthest differs from their mean.
  double Deviation() const {
    double mean = 0, most = 0;
    for (const double value : means) mean += value / static_cast<double>(means.size());
    for (const double value : means) most = std::max(most, std::abs(value / mean - 1));
    return 100 * most;
  }
  // The last over the first.
  double Growth() const { return means.back() / means.front(); }
};

}  // namespace

void Soak(Report& report) {
  report.Section("soak");
  const ScratchFolder folder;
  ChildProcess program({PREQUELD, "--data-dir=" + folder.path(), "--listen=127.0.0.1:0",
                        "--http=", "--snapshot-batches=500", "--snapshots-kept=2"});
  const int seconds = SoakSeconds();
  std::vector<Holding> samples;
  Load load(ReadReadyLine(program).grpc);
  const auto start = SteadyClock::now();
  while (SteadyClock::now() - start < std::chrono::seconds(seconds)) {
    std::this_thread::sleep_for(milliseconds(2000));
    samples.push_back(Look(program.pid(), folder.path()));
  }
  load.Stop();
  program.Signal(SIGTERM);
  const int code = program.Wait();

  const std::string setting = absl::StrFormat(
      "%d s: 3 streams of 256 rows at up to 100 a second, one in three of whose clients vanish; "
      "queries; forks, exports, imports, deletions, rollbacks, snapshots and refusals every second",
      seconds);
  const auto add = [&report](const std::string& name, double value, double target,
                             Direction direction, const std::string& text) {
    report.Add({name, value, 0, target, direction, text});
  };
  add("minutes after the warm-up", seconds * (kWindows - kWarmUp) / (60.0 * kWindows), 30,
      Direction::kAtLeast, setting);
  const Course memory(samples, &Holding::resident), files(samples, &Holding::files),
      disk(samples, &Holding::disk);
  const std::string windows =
      absl::StrFormat(", means of %d s after a warm-up of %d s: ", seconds / kWindows,
                      kWarmUp * seconds / kWindows);
  add("% by which the resident memory differs", memory.Deviation(), 5, Direction::kAtMost,
      absl::StrCat("MiB", windows, memory.text));
  add("file descriptors, last over first", files.Growth(), 1.05, Direction::kAtMost,
      absl::StrCat("descriptors", windows, files.text));
  add("disk, last over first", disk.Growth(), 1.05, Direction::kAtMost,
      absl::StrCat("MiB", windows, disk.text));
  add("answers other than expected", static_cast<double>(load.unexpected()), 0, Direction::kAtMost,
      absl::StrCat(load.learned(), " minibatches learned, ", load.asked(), " queries, ",
                   load.administered(), " other calls, ", load.vanished(), " clients vanished, ",
                   load.refused(), " minibatches refused"));
  add("exit code of the server", code, 0, Direction::kAtMost, "SIGTERM");
}

}  // namespace prequel::accept
