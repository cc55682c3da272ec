// Somebody who behaves well beside those who do not: what it gets from the server meanwhile.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/sync/mutex.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// Bytes of a process that are in memory.
std::int64_t ResidentOf(pid_t pid);
// Processor time of a process.
double ProcessorSecondsOf(pid_t pid);

// What happened in one stretch of time.
struct Stretch {
  double seconds = 0;                         // how long it was
  std::vector<double> predict, learn, probe;  // seconds, of each call
  int refused = 0;                            // calls that were not answered with OK
  std::string refusal;                        // the last one's
  std::int64_t resident = 0;                  // the most
};

// Predicts, learns, asks for readiness and looks at the server's memory, all the time, one call of
// each kind after the other.
class Bystander {
 public:
  // Makes its model, "bystander", unless there is one. `probe`: the page that is to be answered
  // with 200.
  Bystander(const std::string& grpc, const std::string& http, pid_t server,
            std::string probe = "/v2/health/ready");
  ~Bystander();

  // What happened since the last time.
  Stretch Take();

 private:
  void Predict();
  void Learn();
  void Probe();
  void Watch();
  void Count(std::vector<double> Stretch::*what, double seconds, const std::string& refusal);

  const std::string http_, probe_;
  const pid_t server_;
  const std::unique_ptr<v1::LearningService::Stub> learning_;
  std::atomic<bool> stop_ = false;
  Mutex mu_;
  Stretch stretch_ ABSL_GUARDED_BY(mu_);
  std::chrono::steady_clock::time_point taken_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> threads_;
};

}  // namespace prequel::accept
