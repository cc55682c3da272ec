// What a server is shown of who is who: its certificate and its policy, in files that change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/client.h"
#include "server/sync/mutex.h"
#include "tests/accept/guard/entrance.h"
#include "tests/server/auth/certificates.h"

namespace prequel::accept {

// Every file is replaced as a whole, by renaming. Thread-safe.
class Papers {
 public:
  struct Principal {
    std::string name, role, models;
  };

  // Writes the files into `folder`, with a token for each of the principals.
  Papers(std::string folder, std::vector<Principal> principals);

  // For the server.
  std::vector<std::string> Flags() const;
  // For those who call it.
  client::ClientOptions OptionsOf(const std::string& principal, const std::string& server) const;
  Entrance EntranceOf(const std::string& principal, const std::string& server) const;
  const std::string& ca() const { return ca_; }

  // Another certificate of the same authority, with another key; returns it, as PEM.
  std::string RenewCertificate();
  // Takes the principal out of the policy, or brings it back.
  void Admit(const std::string& principal, bool admitted);

 private:
  std::string PathOf(const std::string& file) const { return folder_ + "/" + file; }
  void Replace(const std::string& file, const std::string& content) const;
  void WritePolicy() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string folder_;
  const std::vector<Principal> principals_;
  const Authority authority_;
  const std::string ca_;  // PEM
  std::map<std::string, std::string> tokens_;
  Mutex mu_;
  std::map<std::string, bool> admitted_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel::accept
