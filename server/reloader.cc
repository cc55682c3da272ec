#include "server/reloader.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/log/stderr_log.h"

namespace prequel {
namespace {

constexpr std::chrono::seconds kPause{1};

}  // namespace

void Reloader::Add(const char* what, Reload reload) {
  metrics_.SetReloaded(what, true);
  files_.push_back({what, std::move(reload), ""});
}

void Reloader::Start(std::function<void()> afterwards) {
  repeated_.emplace(kPause, [this, afterwards = std::move(afterwards)] {
    for (Files& files : files_) ReloadOnce(files);
    afterwards();
  });
}

void Reloader::ReloadOnce(Files& files) {
  const absl::StatusOr<bool> reloaded = files.reload();
  metrics_.SetReloaded(files.what, reloaded.ok());
  const std::string refusal = reloaded.ok() ? "" : std::string(reloaded.status().message());
  if (reloaded.ok() && *reloaded) {
    LogLine(Severity::kInfo,
            absl::StrCat("the ", files.what, " files have changed, and count now"));
  } else if (refusal.empty() && !files.refusal.empty()) {
    LogLine(Severity::kInfo, absl::StrCat("the ", files.what, " files are as they were again"));
  } else if (refusal != files.refusal) {
    LogLine(Severity::kError, absl::StrCat(refusal, "; what was read before goes on to count"));
  }
  files.refusal = refusal;
}

}  // namespace prequel
