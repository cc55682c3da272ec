#include "tests/accept/chaos/full_disks.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "tests/accept/timing.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause(100);
constexpr char kWantsRoom[] = "until the disk has room again";
// The log has a few MiB in reserve, which are written first. A server that is killed meanwhile, or
// starts, says nothing.
constexpr milliseconds kUnnoticed(40'000);
constexpr milliseconds kNeverReady(120'000);

// `work`, and a pause, again and again, until it returns true, or for `longest`.
void Repeat(milliseconds longest, const std::function<bool()>& work) {
  const auto until = steady_clock::now() + longest;
  while (!work() && steady_clock::now() < until) std::this_thread::sleep_for(kPause);
}

}  // namespace

FullDisks::FullDisks(SmallDisk& disk, const Wire::Options& http, std::uint64_t seed)
    : disk_(disk), http_(http), thread_([this, seed] { Run(seed); }) {}

FullDisks::~FullDisks() {
  stop_ = true;
  thread_.join();
}

std::string FullDisks::Readiness() const { return HttpGet(http_, "/v2/health/ready"); }

bool FullDisks::GiveRoom() {
  constexpr std::int64_t kMore = std::int64_t{1} << 18;
  disk_.LeaveRoom(room_);
  const std::string readiness = Readiness();
  const bool ready = readiness.find(" 200 ") != std::string::npos;
  if (ready) room_ = SmallDisk::kLittleRoom;
  if (readiness.find(kWantsRoom) != std::string::npos) room_ += kMore;
  return ready;
}

void FullDisks::Run(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&random](int least, int most) {
    return milliseconds(std::uniform_int_distribution<int>(least, most)(random));
  };
  while (!stop_) {
    // What the server gives back meanwhile must not become room that it can reserve.
    Repeat(draw(5'000, 20'000), [this] {
      (void)GiveRoom();
      const double used = static_cast<double>(disk_.used()) / (1 << 20);
      most_used_mib_ = std::max(most_used_mib_.load(), used);
      return stop_.load();
    });
    if (stop_) break;
    ++fills_;
    Repeat(kUnnoticed, [this] {
      disk_.Fill();
      if (Readiness().find(kWantsRoom) == std::string::npos) return stop_.load();
      ++noticed_;
      return true;
    });
    Repeat(draw(0, 3'000), [this] {
      disk_.Fill();
      return stop_.load();
    });
    const double seconds = Seconds([this] { Repeat(kNeverReady, [this] { return GiveRoom(); }); });
    slowest_ = std::max(slowest_.load(), seconds);
  }
  disk_.LeaveRoom(room_);
}

}  // namespace prequel::accept
