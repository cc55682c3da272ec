// Waiting for what a server does in its own time.
#pragma once

#include <chrono>
#include <thread>

namespace prequel {

// Whether `condition` comes true; tests end when it does not for long.
template <class Condition>
bool Await(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace prequel
