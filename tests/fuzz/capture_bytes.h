// The capture of a model, as snapshots and model files hold it, from bodies that a fuzzer drew.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/archive/archive.h"
#include "core/config/fingerprint.h"
#include "core/learner/learner.h"
#include "server/engine/fold/fold_parts.h"

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

// version (u32) | sections, each: length of its name (u8) | name | length (u64) | bytes. The same
// as WriteCapture writes (tests/server/formats).
inline std::string CaptureBytes(const std::string& ledger, const std::string& state) {
  const std::uint32_t version = 1;
  std::string bytes(reinterpret_cast<const char*>(&version), sizeof(version));
  const auto section = [&bytes](std::string_view name, const std::string& content) {
    bytes.push_back(static_cast<char>(name.size()));
    bytes.append(name);
    const std::uint64_t length = content.size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes.append(content);
  };
  const auto part = [&]<FoldPart P>(const P& empty) {
    section(P::kName, std::is_same_v<P, Ledger> ? ledger : empty.Encode());
  };
  std::apply([&part](const auto&... parts) { (part(parts), ...); }, FoldParts());
  section("state", state);
  return bytes;
}

}  // namespace prequel::fuzz
