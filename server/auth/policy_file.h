// The policy in a file, which may change while the server runs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/auth/policy.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe, except for Reload: one thread at a time.
class PolicyFile {
 public:
  static absl::StatusOr<std::unique_ptr<PolicyFile>> Open(const std::string& path);

  // Reads the file again. True when it holds something else than before, which counts from now on;
  // with an error, which names the line, what was before goes on to count.
  absl::StatusOr<bool> Reload();

  std::shared_ptr<const Policy> current() const;

 private:
  explicit PolicyFile(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  std::string text_;  // that current_ was made of; of the one thread that reloads
  mutable Mutex mu_;
  std::shared_ptr<const Policy> current_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
