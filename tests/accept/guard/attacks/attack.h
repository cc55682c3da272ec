// Those who do not behave well.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// Something that goes on from when it is made until it is destroyed.
class Attack {
 public:
  virtual ~Attack() = default;
  // How often it has struck so far, if that is counted.
  virtual std::int64_t strikes() const { return 0; }
};

// `work` again and again, on so many threads, until `stop`.
class Repeating : public Attack {
 public:
  Repeating(int threads, const std::function<void(int thread)>& work);
  ~Repeating() override;

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

// For threads that share nothing with the bystander, as gRPC's of one process do: attackers have
// processors of their own, and here they take what the server and the bystander leave.
void StandElsewhere();

using MakeAttack = std::function<std::unique_ptr<Attack>(const Entrance& server)>;

struct NamedAttack {
  const char* name;
  MakeAttack make;
  int least_strikes = 0;  // in a second; fewer are no attack
};

// Every one of the scenarios, in the order in which they are run.
const std::vector<NamedAttack>& Attacks();

}  // namespace prequel::accept
