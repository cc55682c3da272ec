// Who may do what, and how much of it: the principals, how each is known, and the limits of models.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "server/auth/quotas/meter.h"
#include "server/auth/quotas/quotas.h"
#include "server/auth/role.h"
#include "server/auth/token_hash.h"
#include "server/sync/fair_queue.h"

namespace prequel {

// Shares are of the processor, from 1 to this; kEvenShare for who has none of its own.
inline constexpr int kMostShare = 1000;

struct Principal {
  std::string name;
  std::vector<TokenHash> tokens;
  std::vector<std::string> certificates;  // "uri:…", "dns:…" or "cn:…"
  Role role = Role::kRead;
  std::vector<std::string> models;  // patterns, in which * stands for anything
  std::optional<std::chrono::system_clock::time_point> expires;
  Quotas quotas;
  std::shared_ptr<Meter> meter;  // of what the quotas bound; null: nothing is counted
  int share = kEvenShare;

  // `model` without "models/".
  bool MayUse(std::string_view model) const;
};

// ModelLimits is what each model whose name fits `pattern` may be used for.
struct ModelLimits {
  std::string pattern;
  Quotas quotas;  // without `models`
  int share = kEvenShare;
};

// How a caller was known: by a token or by a name in its certificate.
struct Identity {
  std::optional<TokenHash> token;
  std::string certificate;
  // When that certificate expires.
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

// Immutable once it is shared.
class Policy {
 public:
  // INVALID_ARGUMENT names line and field. The format is in docs/server.md.
  static absl::StatusOr<Policy> Parse(std::string_view text);

  const std::vector<Principal>& principals() const { return principals_; }
  const std::vector<ModelLimits>& models() const { return models_; }

  // LimitsOf gives the first limits whose pattern `model`, "moons" for example, fits; null: it has
  // none.
  const ModelLimits* LimitsOf(std::string_view model) const;
  int ShareOf(std::string_view model) const;

  // TakeMetersOf lets principals of the same name go on with what they had in flight.
  void TakeMetersOf(const Policy& before);

  // Null: nobody.
  const Principal* Find(const Identity& identity) const;

 private:
  Policy(std::vector<Principal> principals, std::vector<ModelLimits> models);

  std::vector<Principal> principals_;
  std::vector<ModelLimits> models_;
  // Places in principals_. By the first bytes of a hash: who can tell from the time it takes that
  // these are in the policy still knows nothing of a token.
  std::unordered_multimap<std::uint64_t, std::size_t> by_token_;
  std::map<std::string, std::size_t, std::less<>> by_certificate_;
};

}  // namespace prequel
