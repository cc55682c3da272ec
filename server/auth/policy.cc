#include "server/auth/policy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/auth/policy_parser.h"

namespace prequel {
namespace {

std::uint64_t FirstBytes(const TokenHash& hash) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, hash.data(), sizeof(bytes));
  return bytes;
}

// Goes back to the last * only: no pattern takes longer than its length times the text's.
bool Matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

bool Principal::MayUse(std::string_view model) const {
  return std::any_of(models.begin(), models.end(),
                     [model](const std::string& pattern) { return Matches(pattern, model); });
}

absl::StatusOr<Policy> Policy::Parse(std::string_view text) {
  absl::StatusOr<std::vector<Principal>> principals = ParsePrincipals(text);
  if (!principals.ok()) return principals.status();
  return Policy(*std::move(principals));
}

Policy::Policy(std::vector<Principal> principals) : principals_(std::move(principals)) {
  for (std::size_t i = 0; i < principals_.size(); ++i) {
    for (const TokenHash& hash : principals_[i].tokens) by_token_.emplace(FirstBytes(hash), i);
    for (const std::string& name : principals_[i].certificates) by_certificate_.emplace(name, i);
  }
}

void Policy::TakeMetersOf(const Policy& before) {
  std::map<std::string_view, const Principal*> known;
  for (const Principal& principal : before.principals_) known[principal.name] = &principal;
  for (Principal& principal : principals_) {
    const auto found = known.find(principal.name);
    if (found != known.end()) principal.meter = found->second->meter;
  }
}

const Principal* Policy::Find(const Identity& identity) const {
  if (!identity.token) {
    const auto found = by_certificate_.find(identity.certificate);
    return found == by_certificate_.end() ? nullptr : &principals_[found->second];
  }
  const auto [begin, end] = by_token_.equal_range(FirstBytes(*identity.token));
  for (auto next = begin; next != end; ++next) {
    const Principal& principal = principals_[next->second];
    for (const TokenHash& hash : principal.tokens) {
      if (SameHash(hash, *identity.token)) return &principal;
    }
  }
  return nullptr;
}

}  // namespace prequel
