// Ratios of two pieces of work timed in the same loop.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>
#include <vector>

#include "core/random/philox.h"

namespace prequel {

inline Matrix Normals(Index rows, Index cols, std::uint64_t seed) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, 0}, out);
  return out;
}

// What this thread has computed so far, in seconds: others on the machine do not count.
inline double ThreadSeconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Runs `work` and `floor` in turns and compares their median times; the reported time is that of
// `work`.
template <class Work, class Floor>
void Compare(benchmark::State& state, Work work, Floor floor) {
  for (int warm = 0; warm < 3; ++warm) {
    work();
    floor();
  }
  std::vector<double> work_seconds, floor_seconds;
  for (auto _ : state) {
    const double start = ThreadSeconds();
    work();
    const double middle = ThreadSeconds();
    floor();
    const double end = ThreadSeconds();
    work_seconds.push_back(middle - start);
    floor_seconds.push_back(end - middle);
    state.SetIterationTime(middle - start);
  }
  const double work_median = Median(std::move(work_seconds));
  const double floor_median = Median(std::move(floor_seconds));
  state.counters["update_us"] = 1e6 * work_median;
  state.counters["floor_us"] = 1e6 * floor_median;
  state.counters["ratio"] = work_median / floor_median;
}

}  // namespace prequel
