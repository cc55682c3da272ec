// Who calls, and whether it may.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/auth/credentials.h"
#include "server/auth/policy.h"
#include "server/auth/policy_file.h"

namespace prequel {

// A caller that is known, with what the policy lets it do. A small value.
class Caller {
 public:
  const Principal& principal() const { return *principal_; }
  std::string_view name() const { return principal_->name; }

  // CheckRole is PERMISSION_DENIED unless the caller's role includes `needed`, for `what`: a
  // method, for example.
  absl::Status CheckRole(Role needed, std::string_view what) const;
  // CheckModel is PERMISSION_DENIED unless the caller may use `model`: "moons" or "models/moons".
  // It says nothing of whether there is such a model.
  absl::Status CheckModel(std::string_view model) const;
  // LimitsOf gives what the policy has for `model`, named in either way, whoever asks; null: no
  // limits.
  const ModelLimits* LimitsOf(std::string_view model) const;

 private:
  friend class Gate;
  Identity identity_;
  std::shared_ptr<const Policy> policy_;  // null: there is none
  const Principal* principal_ = nullptr;  // of policy_
};

// Thread-safe.
class Gate {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;

  // `policy` null: everybody is `anonymous` and may do everything. Must outlive the gate.
  explicit Gate(const PolicyFile* policy = nullptr, Now now = &std::chrono::system_clock::now)
      : policy_(policy), now_(std::move(now)) {}

  // Identify is UNAUTHENTICATED when the credentials are nobody's in the policy, or that principal
  // or its certificate has expired. A token counts before a certificate.
  absl::StatusOr<Caller> Identify(const Credentials& credentials) const;

  // Renew gives the same caller as the policy has it now; UNAUTHENTICATED when the policy has it no
  // longer, or what is known of it has expired.
  absl::StatusOr<Caller> Renew(const Caller& caller) const;

  // Whether callers have to show who they are.
  bool closed() const { return policy_ != nullptr; }

 private:
  absl::StatusOr<Caller> Find(Identity identity, std::shared_ptr<const Policy> policy) const;
  absl::Status CheckExpiry(const Caller& caller) const;

  const PolicyFile* const policy_;
  const Now now_;
};

}  // namespace prequel
