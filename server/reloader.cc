#include "server/reloader.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "server/stderr_log.h"

namespace prequel {
namespace {

constexpr std::chrono::seconds kPause{1};

}  // namespace

Reloader::Reloader(TlsFiles* tls, Metrics& metrics)
    : tls_(tls), metrics_(metrics), repeated_(kPause, [this] { ReloadAll(); }) {
  metrics_.SetReloaded("tls", true);
  metrics_.SetCertificateExpiry(tls_->current()->expires);
}

void Reloader::ReloadAll() {
  const absl::StatusOr<bool> reloaded = tls_->Reload();
  Say("tls", reloaded, tls_refusal_);
  if (reloaded.ok()) metrics_.SetCertificateExpiry(tls_->current()->expires);
}

void Reloader::Say(const char* what, const absl::StatusOr<bool>& reloaded, std::string& refusal) {
  metrics_.SetReloaded(what, reloaded.ok());
  const std::string now = reloaded.ok() ? "" : std::string(reloaded.status().message());
  if (reloaded.ok() && *reloaded) {
    LogLine(Severity::kInfo, absl::StrCat(what, " files have changed and are in use"));
  } else if (now.empty() && !refusal.empty()) {
    LogLine(Severity::kInfo, absl::StrCat(what, " files are as they were again"));
  } else if (!now.empty() && now != refusal) {
    LogLine(Severity::kError, absl::StrCat(now, "; going on with what was read before"));
  }
  refusal = now;
}

}  // namespace prequel
