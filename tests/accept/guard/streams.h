// LearnStreams that never wait: each sends as much as it may have unanswered.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

class Streams {
 public:
  // To each of the models, from a thread and by a connection of its own: minibatches of so many
  // rows of so many columns. Until it is destroyed; then all of them are answered.
  Streams(const Entrance& server, const std::vector<std::string>& models, int rows, int columns);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Minibatches so far.
  std::int64_t learned() const { return learned_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> learned_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace prequel::accept
