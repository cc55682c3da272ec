// The server's certificate, its key and who signs those of clients: files that may change while the
// server runs.
//
// What is on disk is checked as a whole before anybody uses it. gRPC reads its certificates by
// path, again and again, and stops answering when it finds a key that is not the certificate's; so
// it is given files in memory, which hold only what has passed.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/auth/memory_file.h"
#include "server/sync/mutex.h"

namespace prequel {

struct TlsPaths {
  std::string certificate;  // PEM: the server's, then those between it and its root
  std::string key;          // PEM, not encrypted
  std::string client_ca;    // PEM; empty: clients are not asked for certificates
};

struct TlsMaterial {
  std::string certificate, key, client_ca;        // PEM
  std::chrono::system_clock::time_point expires;  // the server's certificate
};

// INVALID_ARGUMENT or UNAVAILABLE says which flag's file is wrong, and what would be right.
absl::StatusOr<TlsMaterial> ReadTlsMaterial(const TlsPaths& paths);

// Thread-safe.
class TlsFiles {
 public:
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Open(const TlsPaths& paths);

  // Reload reads the files again. True when they hold something else than before, which new
  // connections then use; with an error they go on with what was.
  absl::StatusOr<bool> Reload();

  std::shared_ptr<const TlsMaterial> current() const;

  // Credentials are for gRPC. A client's certificate is checked when it shows one, and never
  // required: whoever may call is for the policy to say, and health is for everybody. They see a
  // reload within a second. Must not outlive this.
  std::shared_ptr<grpc::ServerCredentials> Credentials() const;

 private:
  explicit TlsFiles(TlsPaths paths) : paths_(std::move(paths)) {}

  const TlsPaths paths_;
  mutable Mutex mu_;
  std::shared_ptr<const TlsMaterial> current_ ABSL_GUARDED_BY(mu_);
  MemoryFile identity_ ABSL_GUARDED_BY(mu_);   // key and certificate, so that they change together
  MemoryFile client_ca_ ABSL_GUARDED_BY(mu_);  // with paths_.client_ca
};

}  // namespace prequel
