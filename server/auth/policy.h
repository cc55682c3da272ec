// Who may do what: the principals, and how each is known.
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
#include "server/auth/meter.h"
#include "server/auth/role.h"
#include "server/auth/token_hash.h"

namespace prequel {

struct Principal {
  std::string name;
  std::vector<TokenHash> tokens;
  std::vector<std::string> certificates;  // "uri:…", "dns:…" or "cn:…"
  Role role = Role::kRead;
  std::vector<std::string> models;  // patterns, in which * stands for anything
  std::optional<std::chrono::system_clock::time_point> expires;
  Quotas quotas;
  std::shared_ptr<Meter> meter = std::make_shared<Meter>();  // of what the quotas bound

  // `model` without "models/".
  bool MayUse(std::string_view model) const;
};

// How a caller was known: by a token or by a name in its certificate.
struct Identity {
  std::optional<TokenHash> token;
  std::string certificate;
};

// Immutable once it is shared.
class Policy {
 public:
  // INVALID_ARGUMENT names line and field. The format is in server/README.md.
  static absl::StatusOr<Policy> Parse(std::string_view text);

  const std::vector<Principal>& principals() const { return principals_; }

  // Principals of the same name go on with what they had in flight.
  void TakeMetersOf(const Policy& before);

  // Null: nobody.
  const Principal* Find(const Identity& identity) const;

 private:
  explicit Policy(std::vector<Principal> principals);

  std::vector<Principal> principals_;
  // Places in principals_. By the first bytes of a hash: who can tell from the time it takes that
  // these are in the policy still knows nothing of a token.
  std::unordered_multimap<std::uint64_t, std::size_t> by_token_;
  std::map<std::string, std::size_t, std::less<>> by_certificate_;
};

}  // namespace prequel
