// Connections of clients that are slow to say what they want, never end saying it, or never read
// what they are told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/attacks/wire.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// From an address of their own; those that the server ends come again.
class SlowClients final : public Attack {
 public:
  explicit SlowClients(const Entrance& server);
  ~SlowClients() override;

  std::int64_t connections() const { return connections_; }

 private:
  enum class Kind { kSilent, kHandshake, kLetters, kHeaders, kUnread };

  Wire::Options OptionsOf(Kind kind) const;
  void Step(std::size_t place);

  const Entrance server_;
  std::vector<std::unique_ptr<Wire>> wires_;  // of thread_
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> connections_ = 0;
  std::thread thread_;
};

}  // namespace prequel::accept
