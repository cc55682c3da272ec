// A server on a small disk, under TLS and a policy. Writers teach it, attacks follow each other,
// slow clients come back, its disk fills, its certificate and its policy change, all at once.
//
// In the first half it is killed again and again. After each restart, beside the writers, every
// model must have at least what was acknowledged and at most what was sent; then the attacks pause,
// the writers wait for their answers, and every model must be, to the bit, the fold of what was
// acknowledged. In the second half it is left alive, and the same is looked at after each attack.
// After every round of all the attacks they rest, and the writers too, for longer than the server
// takes to give freed memory back, and the least that it then takes is read: each reading follows
// the same things.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/accept/chaos/audit.h"

namespace prequel::accept {

struct ChaosOptions {
  std::chrono::seconds length{3600};
  std::uint64_t seed = 1;
  std::int64_t memory = std::int64_t{1} << 30;  // the server's budget
};

struct ChaosResult {
  std::string problem;                  // why it ended early; empty: it went on to the end
  int kills = 0, kills_recovering = 0;  // the latter among the former

  std::int64_t acknowledged = 0;   // minibatches
  std::int64_t repeated = 0;       // of them, when the first answer had been lost
  std::int64_t clashes = 0;        // two of them that were given one revision
  std::int64_t streams_left = 0;   // by their client, in the middle
  std::int64_t streams_ended = 0;  // by themselves
  std::int64_t cancelled = 0;      // calls of writers that were answered with CANCELLED
  Audit::Findings audit;

  int attacks = 0;
  std::int64_t slow_connections = 0;

  bool has_disk = false;  // false: a small one could not be mounted, and none was filled
  int fills = 0, fills_noticed = 0;
  double slowest_disk = 0;  // seconds from room to ready
  double most_disk = 0;     // MiB that the server took

  int certificates = 0, certificates_not_shown = 0;
  int policies = 0, policies_not_counting = 0;
  std::int64_t refused = 0;  // calls of the principal that was revoked
  std::int64_t wrongly_accepted = 0, wrongly_refused = 0;
  double slowest_policy = 0;  // seconds until it counted

  // Resident bytes: in the second half, after each round of attacks; and the most at any time,
  // attack by attack, those between them under an empty name.
  std::vector<double> rested;
  std::map<std::string, std::int64_t> most_resident;
};

ChaosResult RunChaos(const ChaosOptions& options);

}  // namespace prequel::accept
