// Where a minibatch comes from, so that each is counted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace prequel {

// A producer numbers its minibatches 1, 2, 3, …; a request is known by its id alone. A minibatch
// of nobody is learned as often as it is sent.
struct Origin {
  std::string id;             // at most kMaxIdBytes; empty: nobody
  std::int64_t sequence = 0;  // 0: `id` is a request's

  bool anonymous() const { return id.empty(); }
  bool numbered() const { return sequence > 0; }
};

// What a model remembers is part of its state, so these are constants of the format. The producers,
// answers and requests whose last minibatch is furthest back in the log are forgotten first.
inline constexpr std::size_t kMaxIdBytes = 128;
inline constexpr std::size_t kMaxProducers = 1024;
inline constexpr std::size_t kMaxRequests = 4096;
inline constexpr std::int64_t kAnswersPerProducer = 256;  // the last ones
inline constexpr std::size_t kMaxAnswers = 16384;         // to all producers, some 300 bytes each

// INVALID_ARGUMENT names "producer", "request_id" or "sequence".
absl::Status CheckOrigin(const Origin& origin);

// OUT_OF_RANGE for a number that is not the next one: too high, or too far back for its answer to
// be remembered. ExpectedSequence tells the two apart.
absl::Status SequenceError(const Origin& origin, std::int64_t expected);

// The next number of the producer that `status` complains about; 0 for any other error.
std::int64_t ExpectedSequence(const absl::Status& status);

}  // namespace prequel
