// A record of every call that changes something, or of every call: one line of JSON in a file, for
// whoever must be able to say later who did what.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/log/stderr_log.h"
#include "server/observe/rotated_file.h"
#include "server/rpc/call_observer.h"
#include "server/sync/mutex.h"

namespace prequel {

struct AuditOptions {
  std::string path;
  // A file that has become this long is renamed to PATH.1, what was that to PATH.2, and so on.
  std::int64_t max_bytes = 64 << 20;
  int kept = 9;  // of those
  // Calls that only look are in the trail, too.
  bool reads = false;
  // Without a trail nothing changes: as long as it cannot be written, calls that would be in it are
  // refused.
  bool required = false;
  // Tests have a clock of their own.
  LogBudget::Clock::time_point (*now)() = LogBudget::Clock::now;
};

// {"time":"2026-11-24T02:00:00.123Z","principal":"ingest","method":"Learn",
//  "resource":"models/m","code":"OK","request_bytes":123,"response_bytes":45,"rows":8,
//  "milliseconds":1.234,"request_id":"7f3a"}, the last only of a call that has one.
//
// Unless `reads` is set, calls that only look are left out, except for ExportModel, by which all of
// a model leaves. Refused calls are in the trail; of callers who are not known, at most one a
// second, so that they cannot drive out the lines of others, and "strangers_left_out_before" counts
// the rest.
//
// Lines are written by a thread of its own, behind the calls by as much as the disk is slow; those
// beyond a bound, or that could not be written, are left out, and "left_out_before" of a later line
// counts them. A trail that is required keeps what it could not write and tries again; what it
// refuses meanwhile is in it, too, as far as there is room beside what had begun before. The
// server's log says when the file cannot be written, and when it can be again.
class AuditTrail final : public CallObserver {
 public:
  // What is missing before a line.
  struct LeftOut {
    std::int64_t lines = 0;
    std::int64_t of_strangers = 0;
  };

  // UNAVAILABLE when the file cannot be written.
  static absl::StatusOr<std::unique_ptr<AuditTrail>> Open(const AuditOptions& options);
  // Writes what is waiting.
  ~AuditTrail() override;

  absl::Status MayBegin(std::string_view method) const override;
  void OnCall(const CallRecord& call) override;

  // How often a line could not be written, or the file not be renamed.
  std::int64_t failures() const;

 private:
  struct Line {
    std::string text;
    LeftOut left_out;  // which it tells of
  };

  explicit AuditTrail(AuditOptions options);
  bool LeavesOut(std::string_view method) const;
  // LeaveOut: a line that tells of `before` is left out; the next line tells of both.
  void LeaveOut(const LeftOut& before) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Loop();
  bool Take(std::vector<Line>& lines);
  bool Write(const Line& line);
  void Say(const absl::Status& status);

  const AuditOptions options_;

  // Owned by thread_.
  RotatedFile file_;
  std::string problem_;  // that the server's log has been told of last; empty: none

  mutable Mutex mu_;
  CondVar wake_;
  bool broken_ ABSL_GUARDED_BY(mu_) = false;  // the last line could not be written
  std::int64_t failures_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<Line> waiting_ ABSL_GUARDED_BY(mu_);
  LeftOut left_out_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  LogBudget strangers_{1};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace prequel
