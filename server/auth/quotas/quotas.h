// What somebody may use: a principal over all of its calls, or a model over those of everybody.
#pragma once

#include <cstdint>
#include <string_view>

namespace prequel {

// 0: no limit.
struct Quotas {
  std::int64_t calls_in_flight = 0;  // of a principal, a stream is one; of a model, a request is
  std::int64_t bytes_in_flight = 0;  // of requests that are not answered
  std::int64_t rows_per_second = 0;  // learned and predicted, on average
  // Only of a principal: how many models may exist that match its patterns, when it makes another.
  std::int64_t models = 0;

  bool Any() const {
    return calls_in_flight > 0 || bytes_in_flight > 0 || rows_per_second > 0 || models > 0;
  }
};

// Whether a model's quotas bound `method`, "Learn" for example. They protect the model from whoever
// uses it; whoever deletes it must find a way however busy it is.
inline bool BoundByModel(std::string_view method) { return method != "DeleteModel"; }

}  // namespace prequel
