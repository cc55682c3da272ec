// Those who mean well: each teaches a model, numbers what it sends, and notes what it is told.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "client/client.h"
#include "server/sync/mutex.h"
#include "tests/accept/chaos/ledger.h"
#include "tests/accept/chaos/turnstile.h"

namespace prequel::accept {

// Of each model; the first one streams, the other one calls Learn.
inline constexpr int kProducers = 2;
std::string ProducerName(int producer);

std::string HonestModel(int model);  // its id; taught CrashConfig(model)
bool IsHonestModel(const std::string& id);

// kProducers threads for each model. They wait for Resume.
class Writers {
 public:
  using OptionsOf = std::function<client::ClientOptions(int model)>;

  // REQUIRES: the models are there. `ledger` outlives this.
  Writers(int models, std::uint64_t seed, const OptionsOf& options, Ledger& ledger);
  ~Writers();

  void Resume() { turnstile_.Open(); }
  // Until every minibatch that was sent has been answered. False: it takes longer.
  bool Drain(std::chrono::seconds longest) { return turnstile_.Close(longest); }

  // Streams that their client left in the middle, and those that ended by themselves.
  std::int64_t left() const { return left_; }
  std::int64_t ended() const { return ended_; }
  // Calls that were answered with CANCELLED, which no document explains; they are made again.
  std::int64_t cancelled() const { return cancelled_; }
  // What nobody should be told; empty: nothing.
  std::string problem() const;

 private:
  class Writer;
  void Fail(const std::string& problem);

  Ledger& ledger_;
  Turnstile turnstile_;
  std::atomic<std::int64_t> left_ = 0, ended_ = 0, cancelled_ = 0;
  mutable Mutex mu_;
  std::string problem_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> threads_;
};

}  // namespace prequel::accept
