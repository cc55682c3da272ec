#include "tests/accept/guard/attacks/silent_calls.h"

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "tests/accept/guard/attacks/http2_wire.h"

namespace prequel::accept {
namespace {

constexpr std::size_t kThreads = 5, kWires = 50;  // of each thread
constexpr int kCalls = 256;                       // of each connection
// From an address of its own, as of resets.
constexpr char kFrom[] = "127.0.0.9";

// Connections of one thread, which it sees to in turn.
struct Wires {
  std::vector<std::unique_ptr<Http2Wire>> wires = std::vector<std::unique_ptr<Http2Wire>>(kWires);
  std::size_t next = 0;
};

}  // namespace

std::unique_ptr<Attack> SilentCalls(const Entrance& server) {
  auto all = std::make_shared<std::vector<Wires>>(kThreads);
  return std::make_unique<Repeating>(kThreads, [server, all](int thread) {
    Wires& own = (*all)[static_cast<std::size_t>(thread)];
    std::unique_ptr<Http2Wire>& wire = own.wires[own.next++ % kWires];
    StandElsewhere();
    if (wire == nullptr || wire->broken()) {
      wire = std::make_unique<Http2Wire>(server, kFrom);
      for (int i = 0; i < kCalls; ++i) (void)wire->Begin();
    }
    (void)wire->Exchange(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

}  // namespace prequel::accept
