// Keeps grpc.health.v1 in step with the engine: serving once replay is done, and only while the
// store accepts writes; which it is asked to do again while its disk is full.
#pragma once

#include <grpcpp/health_check_service_interface.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "server/engine/engine.h"
#include "server/storage/store.h"
#include "server/sync/mutex.h"

namespace prequel {

class HealthKeeper {
 public:
  // All must outlive this. `health` may be shut down only after Stop.
  HealthKeeper(const Engine& engine, Store& store, grpc::HealthCheckServiceInterface& health);
  // Stop().
  ~HealthKeeper();

  // NOT_SERVING from now on.
  void Stop();

  bool serving() const { return serving_.load(std::memory_order_relaxed); }

 private:
  void Loop();
  bool Pause();
  void Set(bool serving);
  // Whether the store accepts writes, after an attempt to have it do so again; logs what is new.
  bool StoreAccepts();
  void LogReplay() const;

  const Engine& engine_;
  Store& store_;
  grpc::HealthCheckServiceInterface& health_;
  std::atomic<bool> serving_ = false;

  // Owned by thread_.
  bool replayed_ = false;
  std::string refusal_;  // why the store refuses writes, as last logged; empty: it does not
  std::chrono::steady_clock::time_point next_attempt_;  // to recover it

  Mutex mu_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace prequel
