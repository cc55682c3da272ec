#include "server/auth/policy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/auth/model_pattern.h"
#include "server/auth/policy_parser.h"

namespace prequel {
namespace {

std::uint64_t FirstBytes(const TokenHash& hash) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, hash.data(), sizeof(bytes));
  return bytes;
}

}  // namespace

bool Principal::MayUse(std::string_view model) const {
  return std::any_of(models.begin(), models.end(),
                     [model](const std::string& pattern) { return FitsPattern(pattern, model); });
}

absl::StatusOr<Policy> Policy::Parse(std::string_view text) {
  absl::StatusOr<PolicyBlocks> blocks = ParsePolicy(text);
  if (!blocks.ok()) return blocks.status();
  return Policy(std::move(blocks->principals), std::move(blocks->models));
}

Policy::Policy(std::vector<Principal> principals, std::vector<ModelLimits> models)
    : principals_(std::move(principals)), models_(std::move(models)) {
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

const ModelLimits* Policy::LimitsOf(std::string_view model) const {
  const auto found = std::find_if(
      models_.begin(), models_.end(),
      [model](const ModelLimits& limits) { return FitsPattern(limits.pattern, model); });
  return found == models_.end() ? nullptr : &*found;
}

int Policy::ShareOf(std::string_view model) const {
  const ModelLimits* limits = LimitsOf(model);
  return limits == nullptr ? kEvenShare : limits->share;
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
