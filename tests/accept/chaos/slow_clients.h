// Connections of clients that are slow to say what they want, or never read what they are told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/accept/guard/wire.h"

namespace prequel::accept {

// From an address of their own; those that the server ends come again. Goes on until it is
// destroyed.
class SlowClients {
 public:
  SlowClients(const std::string& grpc, const std::string& http, const std::string& ca);
  ~SlowClients();

  std::int64_t connections() const { return connections_; }

 private:
  enum class Kind { kSilent, kHandshake, kLetters, kUnread };

  Wire::Options OptionsOf(Kind kind) const;
  void Step(std::size_t place);

  const std::string grpc_, http_, ca_;
  std::vector<std::unique_ptr<Wire>> wires_;  // of thread_
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> connections_ = 0;
  std::thread thread_;
};

}  // namespace prequel::accept
