#include "server/auth/gate.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/auth/model_pattern.h"

namespace prequel {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr std::size_t kMaxToken = 4096;

const Principal& Anonymous() {
  static const Principal* const kAnonymous = [] {
    auto* principal = new Principal;
    principal->name = "anonymous";
    principal->role = Role::kAdmin;
    principal->models = {"*"};
    return principal;
  }();
  return *kAnonymous;
}

bool HasScheme(std::string_view authorization) {
  if (authorization.size() <= kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return false;
  }
  return true;
}

absl::Status ExpiredError(std::string_view what, std::chrono::system_clock::time_point when) {
  return absl::UnauthenticatedError(absl::StrCat(
      std::string(what), " expired at ",
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(when), absl::UTCTimeZone())));
}

}  // namespace

absl::Status Caller::CheckRole(Role needed, std::string_view what) const {
  if (Includes(principal_->role, needed)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(principal_->name, " has role ", std::string(NameOf(principal_->role)), "; ",
                   std::string(what), " takes role ", std::string(NameOf(needed))));
}

absl::Status Caller::CheckModel(std::string_view model) const {
  model = WithoutCollection(model);
  if (principal_->MayUse(model)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(principal_->name, " may not use models/", std::string(model.substr(0, 128))));
}

const ModelLimits* Caller::LimitsOf(std::string_view model) const {
  return policy_ == nullptr ? nullptr : policy_->LimitsOf(WithoutCollection(model));
}

absl::StatusOr<Caller> Gate::Identify(const Credentials& credentials) const {
  if (!closed()) return Find({}, nullptr);
  std::shared_ptr<const Policy> policy = policy_->current();
  if (!credentials.authorization.empty()) {
    const std::string_view given = credentials.authorization;
    if (!HasScheme(given) || given.size() > kMaxToken) {
      return absl::UnauthenticatedError("authorization must be: Bearer TOKEN");
    }
    return Find({HashToken(given.substr(kScheme.size())), ""}, std::move(policy));
  }
  for (const std::string& name : credentials.names) {
    Identity identity{std::nullopt, name, credentials.expires};
    if (policy->Find(identity) != nullptr) return Find(std::move(identity), std::move(policy));
  }
  return absl::UnauthenticatedError(
      credentials.names.empty()
          ? "this server wants to know who calls: show a token or a client certificate"
          : "no name in the client's certificate is in the server's policy");
}

absl::StatusOr<Caller> Gate::Renew(const Caller& caller) const {
  if (!closed()) return caller;
  std::shared_ptr<const Policy> policy = policy_->current();
  if (policy != caller.policy_) return Find(caller.identity_, std::move(policy));
  if (absl::Status status = CheckExpiry(caller); !status.ok()) return status;
  return caller;
}

absl::StatusOr<Caller> Gate::Find(Identity identity, std::shared_ptr<const Policy> policy) const {
  Caller caller;
  caller.principal_ = closed() ? policy->Find(identity) : &Anonymous();
  if (caller.principal_ == nullptr) {
    return absl::UnauthenticatedError(identity.token
                                          ? "the token is not in the server's policy"
                                          : "the certificate is no longer in the server's policy");
  }
  caller.identity_ = std::move(identity);
  caller.policy_ = std::move(policy);
  if (absl::Status status = CheckExpiry(caller); !status.ok()) return status;
  return caller;
}

absl::Status Gate::CheckExpiry(const Caller& caller) const {
  const Principal& principal = caller.principal();
  const auto now = now_();
  if (principal.expires && now >= *principal.expires) {
    return ExpiredError(principal.name, *principal.expires);
  }
  const Identity& identity = caller.identity_;
  if (now < identity.expires) return absl::OkStatus();
  return ExpiredError(absl::StrCat("the client's certificate, ", identity.certificate, ","),
                      identity.expires);
}

}  // namespace prequel
