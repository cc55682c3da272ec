#include "tests/accept/guard/attacks/resets.h"

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "tests/accept/guard/attacks/http2_wire.h"

namespace prequel::accept {
namespace {

constexpr int kConnections = 4;
// From an address of its own: whoever floods is kept out, and with it all of its host.
constexpr char kFrom[] = "127.0.0.9";

// Calls in one breath; false once the server has ended the connection.
bool Step(Http2Wire& wire) {
  for (int i = 0; i < 100; ++i) wire.GiveUp(wire.Begin());
  (void)wire.Exchange(0);
  return !wire.broken();
}

}  // namespace

std::unique_ptr<Attack> Resets(const Entrance& server) {
  auto wires = std::make_shared<std::vector<std::unique_ptr<Http2Wire>>>(kConnections);
  return std::make_unique<Repeating>(kConnections, [server, wires](int thread) {
    std::unique_ptr<Http2Wire>& own = (*wires)[static_cast<std::size_t>(thread)];
    StandElsewhere();
    if (own == nullptr) own = std::make_unique<Http2Wire>(server, kFrom);
    if (Step(*own)) return;
    own.reset();  // and again
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

}  // namespace prequel::accept
