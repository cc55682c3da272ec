#include "server/auth/policy_file.h"

#include "absl/strings/str_cat.h"
#include "server/auth/bounded_file.h"

namespace prequel {

absl::StatusOr<std::unique_ptr<PolicyFile>> PolicyFile::Open(const std::string& path) {
  std::unique_ptr<PolicyFile> file(new PolicyFile(path));
  const absl::StatusOr<bool> read = file->Reload();
  if (!read.ok()) return read.status();
  return file;
}

absl::StatusOr<bool> PolicyFile::Reload() {
  absl::StatusOr<std::string> text = ReadBoundedFile(path_);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat("--policy: ", std::string(text.status().message())));
  }
  const std::shared_ptr<const Policy> before = current();
  if (before != nullptr && *text == text_) return false;
  absl::StatusOr<Policy> policy = Policy::Parse(*text);
  if (!policy.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policy: ", path_, ", ", std::string(policy.status().message())));
  }
  if (before != nullptr) policy->TakeMetersOf(*before);
  text_ = *std::move(text);
  MutexLock lock(mu_);
  current_ = std::make_shared<const Policy>(*std::move(policy));
  return true;
}

std::shared_ptr<const Policy> PolicyFile::current() const {
  MutexLock lock(mu_);
  return current_;
}

}  // namespace prequel
