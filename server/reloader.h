// Reads again, once a second, the files that may change while the server runs, and says in the log
// and in the metrics what became of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/observe/metrics.h"
#include "server/sync/repeated.h"

namespace prequel {

class Reloader {
 public:
  // True: what is there now has been taken; an error: what was before goes on to count.
  using Reload = std::function<absl::StatusOr<bool>()>;

  // `metrics` outlives this.
  explicit Reloader(Metrics& metrics) : metrics_(metrics) {}

  // `what` is a literal; the files have been read once.
  void Add(const char* what, Reload reload);
  // Calls `afterwards` each time after the files have been looked at.
  void Start(std::function<void()> afterwards);

 private:
  struct Files {
    const char* what;
    Reload reload;
    std::string refusal;  // as last logged; empty: none
  };
  void ReloadOnce(Files& files);

  Metrics& metrics_;
  std::vector<Files> files_;  // of repeated_, once that runs
  std::optional<Repeated> repeated_;
};

}  // namespace prequel
