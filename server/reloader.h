// Reads again, once a second, the files that may change while the server runs, and says in the log
// and in the metrics what became of it.
#pragma once

#include <string>

#include "server/auth/tls_files.h"
#include "server/observe/metrics.h"
#include "server/sync/repeated.h"

namespace prequel {

class Reloader {
 public:
  // Both outlive this.
  Reloader(TlsFiles* tls, Metrics& metrics);

 private:
  void ReloadAll();
  // `refusal` is what was last logged of these files.
  void Say(const char* what, const absl::StatusOr<bool>& reloaded, std::string& refusal);

  TlsFiles* const tls_;
  Metrics& metrics_;
  std::string tls_refusal_;
  Repeated repeated_;  // last: it uses all of the above
};

}  // namespace prequel
