// Something that happens at one of many calls, unless it is called off before.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace prequel {

// Thread-safe.
class Countdown {
 public:
  Countdown(int calls, std::function<void()> what) : left_(calls), what_(std::move(what)) {}

  void Tick() {
    const std::lock_guard<std::mutex> lock(mu_);
    if (--left_ == 0) what_();
  }
  // On return it has happened or never will.
  void CallOff() {
    const std::lock_guard<std::mutex> lock(mu_);
    left_ = 0;
  }

 private:
  std::mutex mu_;
  int left_;
  const std::function<void()> what_;
};

}  // namespace prequel
