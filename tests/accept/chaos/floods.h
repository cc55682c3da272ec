// The attacks, one after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "client/client.h"
#include "tests/accept/chaos/turnstile.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// On a thread of its own, which waits for Resume.
class Floods {
 public:
  // `admin` may delete, and deletes what the attacks leave: the models that are not `kept`. `ended`
  // is called on the thread of the attacks: after each, and before each with an empty name.
  Floods(const Entrance& entrance, const client::ClientOptions& admin,
         std::function<bool(const std::string& id)> kept,
         std::function<void(const std::string& attack)> ended);
  ~Floods();

  void Resume() { turnstile_.Open(); }
  // Until no attack is under way, nor any model of one is left. False: it takes longer.
  bool Pause(std::chrono::seconds longest) { return turnstile_.Close(longest); }

  int attacks() const { return attacks_; }

 private:
  void Run(const Entrance& entrance);
  // Whether the models of attacks are gone.
  bool Clean();

  client::Client admin_;
  const std::function<bool(const std::string&)> kept_;
  const std::function<void(const std::string&)> ended_;
  Turnstile turnstile_{1};
  std::atomic<bool> stop_ = false;
  std::atomic<int> attacks_ = 0;
  std::thread thread_;
};

}  // namespace prequel::accept
