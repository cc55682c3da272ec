#include "server/listening/flood_watch.h"

#include <algorithm>
#include <utility>

namespace prequel {
namespace {

constexpr std::chrono::milliseconds kTenth{100};
constexpr std::int64_t kMegabyte = 1 << 20;

}  // namespace

bool FloodWatch::Sees(const Sight& sight, bool large) {
  // However much memory there is: 30,000 such calls keep gRPC's threads for seven seconds, and with
  // 1.51 that grows with their square.
  constexpr std::int64_t kMuch = 128 * kMegabyte;
  const bool grows = Grows(sight);
  const bool for_little = GrowsForLittle(sight);
  const std::int64_t unexplained = sight.resident - sight.explained;
  last_ = sight;
  if (large && grows && unexplained > unexplained_) return true;
  if (!for_little || unexplained <= std::min(unexplained_, kMuch)) return false;
  in_a_row_ = 0;
  return true;
}

// As long as nothing is freed, what the process grows by is used.
bool FloodWatch::Grows(const Sight& sight) {
  constexpr std::int64_t kGrowth = 2 * kMegabyte;
  constexpr std::int64_t kNothing = 64 << 10;  // what is arriving is reckoned to fade
  const std::int64_t explained = sight.explained - last_.explained;
  const bool freed = explained < -kNothing;
  if (freed || sight.when - growing_since_ >= kTenth) {
    grown_ = 0;
    growing_since_ = sight.when;
  }
  if (!freed) grown_ += sight.resident - last_.resident - explained;
  return grown_ >= kGrowth;
}

// In a flood a tenth of a second has 20 MB to 60 for 0.2 to 0.6 that arrive. Uploads grow by what
// arrives, requests that wait by ten times as much, and who connects by some 100 KB.
bool FloodWatch::GrowsForLittle(const Sight& sight) {
  constexpr std::int64_t kGrowth = 4 * kMegabyte, kRatio = 24, kSomething = 32 << 10;
  constexpr std::int64_t kConnection = 128 << 10;
  constexpr int kInARow = 3;
  if (sight.when - begin_.when < kTenth) return in_a_row_ >= kInARow;
  const Sight begin = std::exchange(begin_, sight);
  const auto more = [](std::int64_t after, std::int64_t before) {
    return std::max<std::int64_t>(0, after - before);
  };
  const std::int64_t explained = more(sight.explained, begin.explained) +
                                 kConnection * more(sight.connections, begin.connections);
  const std::int64_t grown = sight.resident - begin.resident - explained;
  const std::int64_t arrived = sight.arriving - begin.arriving;
  const bool little = arrived >= kSomething && grown >= kGrowth && grown >= kRatio * arrived;
  in_a_row_ = little ? in_a_row_ + 1 : 0;
  return in_a_row_ >= kInARow;
}

}  // namespace prequel
