// What the services tell about their calls, for metrics.
#pragma once

#include <chrono>
#include <string_view>

namespace prequel {

// Thread-safe; must not block.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // One call has been answered. `method` and `code` ("Learn", "INVALID_ARGUMENT") come from small
  // fixed sets.
  virtual void OnCall(std::string_view /*method*/, std::string_view /*code*/,
                      std::chrono::nanoseconds) {}
};

}  // namespace prequel
