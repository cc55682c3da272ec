#include "server/log/engine_log.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/log/stderr_log.h"

namespace prequel {
namespace {

// A start that takes long says how far it is this often.
constexpr std::chrono::seconds kProgress{2};

std::string About(std::string_view model, std::string_view what, const absl::Status& status) {
  return absl::StrCat("models/", std::string(model), ": ", std::string(what), ": ",
                      std::string(status.message()));
}

}  // namespace

void EngineLog::OnSnapshot(std::string_view model, std::uint64_t /*bytes*/, Duration /*duration*/,
                           const absl::Status& status) {
  if (!status.ok()) LogLine(Severity::kError, About(model, "no snapshot was stored", status));
}

void EngineLog::OnSnapshotLost(std::string_view model, const absl::Status& status) {
  LogLine(Severity::kError, About(model, "a snapshot cannot be used", status));
}

void EngineLog::OnReplayProgress(std::string_view model, std::uint64_t records) {
  std::int64_t replayed = 0;
  {
    MutexLock lock(mu_);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_line_) return;
    next_line_ = now + kProgress;
    replayed = replayed_;
  }
  LogLine(Severity::kInfo, absl::StrCat("replaying: ", replayed, " models are done, models/",
                                        std::string(model), " is at record ", records));
}

void EngineLog::OnReplayDone(std::string_view /*model*/, const absl::Status& /*status*/) {
  MutexLock lock(mu_);
  ++replayed_;
}

}  // namespace prequel
