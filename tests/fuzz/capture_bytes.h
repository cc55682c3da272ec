// The capture of a model, as snapshots and model files hold it, from bodies that a fuzzer drew.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/archive/archive.h"
#include "core/config/fingerprint.h"
#include "core/learner/learner.h"

namespace prequel::fuzz {

// The state of `learner` whose body, behind the configuration's fingerprint, is `body`.
inline std::string SealedState(const Learner& learner, std::string_view body) {
  const std::uint64_t fingerprint = Fingerprint(learner.config());
  std::string bytes(reinterpret_cast<const char*>(&fingerprint), sizeof(fingerprint));
  return Seal(bytes.append(body), "PREQUELS", 1);
}

inline std::string SealedLedger(std::string_view body) {
  return Seal(std::string(body), "PREQUELL", 1);
}

// version (u32) | length of the ledger (u64) | ledger | state
inline std::string CaptureBytes(const std::string& ledger, const std::string& state) {
  const std::uint32_t version = 1;
  const std::uint64_t length = ledger.size();
  std::string bytes(reinterpret_cast<const char*>(&version), sizeof(version));
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes + ledger + state;
}

}  // namespace prequel::fuzz
