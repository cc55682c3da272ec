// What a client's calls carry to be let in. Internal to the library.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/security.h"

namespace prequel::client {

// Whether `server` is a name of this machine's own, or a socket on it.
bool IsThisMachine(std::string_view server);

// Thread-safe.
class Access {
 public:
  // `credentials` overrides what the options say of TLS, unless null. Every call fails with what is
  // wrong with the options or their files.
  Access(const std::string& server, const SecurityOptions& options,
         std::shared_ptr<grpc::ChannelCredentials> credentials);

  const std::shared_ptr<grpc::ChannelCredentials>& credentials() const { return credentials_; }

  // Prepare gives a call the token, if there is one, before it begins. An error (of this side: see
  // IsFromCall) means that the call must not be made.
  absl::Status Prepare(grpc::ClientContext& context) const;

 private:
  absl::Status CheckOptions() const;
  absl::Status ReadTls();
  absl::StatusOr<std::string> Token() const;

  const std::string server_;
  const SecurityOptions options_;
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
  bool tls_ = false;
  absl::Status problem_;

  mutable std::mutex mu_;
  // Guarded by mu_: what the token's file last held.
  mutable std::string token_;
  mutable std::chrono::steady_clock::time_point read_again_;
};

}  // namespace prequel::client
