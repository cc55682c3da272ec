// Changes who is who while a server runs, and sees whether the server knows.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "client/client.h"
#include "tests/accept/guard/papers.h"

namespace prequel::accept {

// In turn: renews the certificate, and looks whether both ports show it; revokes a principal, and
// calls as that principal; brings it back, and calls. Goes on until it is destroyed, which leaves
// the principal in the policy.
class Registrar {
 public:
  // A policy counts for whoever has been answered by it, and in any case after this time.
  static constexpr std::chrono::seconds kGrace{10};

  // `visitor` may ask `model`. `papers` outlives this.
  Registrar(Papers& papers, std::string visitor, std::string model, std::string grpc,
            std::string http);
  ~Registrar();

  int certificates() const { return certificates_; }           // renewed, and shown
  int certificates_not_shown() const { return not_shown_; }    // renewed, and not in time
  int policies() const { return policies_; }                   // changed, and seen to count
  int policies_not_counting() const { return not_counting_; }  // changed, and not in time
  std::int64_t refused() const { return refused_; }            // calls, rightly
  std::int64_t wrongly_accepted() const { return wrongly_accepted_; }
  std::int64_t wrongly_refused() const { return wrongly_refused_; }
  double slowest() const { return slowest_; }  // seconds until a policy counted, the most

 private:
  void Run();
  void Renew();
  // The policy has just been changed.
  void Call(bool admitted);

  Papers& papers_;
  const std::string visitor_, model_, grpc_, http_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> certificates_ = 0, not_shown_ = 0, policies_ = 0, not_counting_ = 0;
  std::atomic<std::int64_t> refused_ = 0, wrongly_accepted_ = 0, wrongly_refused_ = 0;
  std::atomic<double> slowest_ = 0;
  std::thread thread_;
};

}  // namespace prequel::accept
