// Ends calls whose clients keep the server waiting.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <thread>

#include "server/sync/mutex.h"
#include "server/sync/repeated.h"

namespace prequel {

// A client may take `patience` to read what it is sent, or to send what is next, and a second more
// for each kBytesPerSecond; else its call ends with DEADLINE_EXCEEDED and says why. Thread-safe.
// Outlives its waits.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kBytesPerSecond = 256 << 10;

 private:
  struct Kept {
    const grpc::CallbackServerContext* context;
    bool ended;
  };
  using Waits = std::multimap<Clock::time_point, Kept>;

 public:
  // Wait is one client that is waited for. One thread at a time uses it.
  class Wait {
   public:
    Wait() = default;
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { End(); }
    // End: the client has read or sent what it was to, or has gone.
    void End();

   private:
    friend class Patience;
    Patience* of_ = nullptr;  // null: nobody is waited for
    Waits::iterator it_;      // of_->waits_, which keeps it until End
  };

  explicit Patience(std::chrono::milliseconds patience);

  // Begin waits for the client to read or send `bytes`, in place of what `wait` waited for before.
  // The context lives until wait.End.
  void Begin(Wait& wait, const grpc::CallbackServerContext& context, std::int64_t bytes);
  // Calls that were ended so far.
  std::int64_t ended() const { return ended_.load(std::memory_order_relaxed); }

 private:
  void Look();
  void Erase(Waits::iterator it);

  const std::chrono::milliseconds patience_;
  Mutex mu_;
  Waits waits_ ABSL_GUARDED_BY(mu_);
  std::atomic<std::int64_t> ended_ = 0;
  // Ending a call runs what gRPC has to do on this thread, which may be the end of any call.
  std::atomic<std::thread::id> looking_;
  Repeated repeated_;  // last: it uses all of the above
};

}  // namespace prequel
