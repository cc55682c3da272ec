// Independent pieces of work, on all processors that this process may use.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace prequel::accept {

// Calls work(k) for k = 0 … count − 1, each once, in no order and at the same time.
template <class Work>
void InParallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k) {
    workers.emplace_back([&] {
      for (std::size_t one = next++; one < count; one = next++) work(one);
    });
  }
}

}  // namespace prequel::accept
