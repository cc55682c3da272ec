// Connections that say nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// From an address of their own.
class IdleConnections final : public Attack {
 public:
  IdleConnections(const Entrance& server, int count);
  ~IdleConnections() override;

  // Those that the server's host has taken.
  std::int64_t strikes() const override { return connected_; }

 private:
  std::vector<int> sockets_;
  std::int64_t connected_ = 0;
};

}  // namespace prequel::accept
