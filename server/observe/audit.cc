#include "server/observe/audit.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "server/auth/role.h"

namespace prequel {
namespace {

constexpr std::size_t kMaxWaiting = 10'000;
constexpr std::size_t kMaxResource = 256;
constexpr std::chrono::milliseconds kPause{500};  // before a line is tried again

// Names are ASCII; what else a caller writes in their place is marked, not kept.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, kMaxResource)) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.append(c >= ' ' && c <= '~' ? std::string(1, c) : "\\ufffd");
  }
  return quoted + "\"";
}

std::string Counted(const char* name, std::int64_t count) {
  return count > 0 ? absl::StrCat(",\"", name, "\":", count) : "";
}

std::string TextOf(const CallRecord& call, const AuditTrail::LeftOut& left_out) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(call.start), absl::UTCTimeZone());
  const double milliseconds = std::chrono::duration<double, std::milli>(call.duration).count();
  return absl::StrCat("{\"time\":\"", time, "\",\"principal\":", Quoted(call.principal),
                      ",\"method\":", Quoted(call.method), ",\"resource\":", Quoted(call.resource),
                      ",\"code\":\"", absl::StatusCodeToString(call.code),
                      "\",\"request_bytes\":", call.request_bytes,
                      ",\"response_bytes\":", call.response_bytes, ",\"rows\":", call.rows,
                      ",\"milliseconds\":", absl::StrFormat("%.3f", milliseconds),
                      call.request_id.empty() ? "" : ",\"request_id\":" + Quoted(call.request_id),
                      Counted("left_out_before", left_out.lines),
                      Counted("strangers_left_out_before", left_out.of_strangers), "}\n");
}

// A caller who was known when the call began is none, whatever has become of it since.
bool IsStranger(const CallRecord& call) {
  return call.code == absl::StatusCode::kUnauthenticated && call.principal == kUnknownPrincipal;
}

}  // namespace

AuditTrail::AuditTrail(AuditOptions options)
    : options_(std::move(options)), file_(options_.path, options_.max_bytes, options_.kept) {}

absl::StatusOr<std::unique_ptr<AuditTrail>> AuditTrail::Open(const AuditOptions& options) {
  std::unique_ptr<AuditTrail> trail(new AuditTrail(options));
  if (absl::Status status = trail->file_.Open(); !status.ok()) {
    return absl::UnavailableError(absl::StrCat("--audit: ", std::string(status.message())));
  }
  trail->thread_ = std::thread([raw = trail.get()] { raw->Loop(); });
  return trail;
}

AuditTrail::~AuditTrail() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

bool AuditTrail::LeavesOut(std::string_view method) const {
  return !options_.reads && RoleFor(method) == Role::kRead;
}

absl::Status AuditTrail::MayBegin(std::string_view method) const {
  if (!options_.required || LeavesOut(method)) return absl::OkStatus();
  MutexLock lock(mu_);
  if (!broken_ && waiting_.size() < kMaxWaiting / 2) return absl::OkStatus();
  return absl::UnavailableError(
      "the audit trail cannot be written, and calls that belong in it are refused "
      "(--audit-required)");
}

void AuditTrail::OnCall(const CallRecord& call) {
  if (LeavesOut(call.method)) return;
  LeftOut left_out;
  if (IsStranger(call)) {
    const std::optional<std::int64_t> before = strangers_.Take(options_.now());
    if (!before) return;
    left_out.of_strangers = *before;
  }
  // When a trail is required, the second half of the room is for calls that had begun before it
  // broke: refused ones, which changed nothing, do not fill it.
  const bool refused = call.code != absl::StatusCode::kOk && call.rows == 0;
  const std::size_t room = options_.required && refused ? kMaxWaiting / 2 : kMaxWaiting;
  MutexLock lock(mu_);
  if (waiting_.size() >= room) {
    ++failures_;
    return LeaveOut(left_out);
  }
  left_out.lines = std::exchange(left_out_.lines, 0);
  left_out.of_strangers += std::exchange(left_out_.of_strangers, 0);
  waiting_.push_back({TextOf(call, left_out), left_out});
  wake_.NotifyOne();
}

void AuditTrail::LeaveOut(const LeftOut& before) {
  left_out_.lines += before.lines + 1;
  left_out_.of_strangers += before.of_strangers;
}

std::int64_t AuditTrail::failures() const {
  MutexLock lock(mu_);
  return failures_;
}

void AuditTrail::Loop() {
  std::vector<Line> lines;
  while (Take(lines)) {
    for (const Line& line : lines) {
      while (!Write(line)) continue;
    }
    lines.clear();
  }
}

// Waits for lines; false when there will be none.
bool AuditTrail::Take(std::vector<Line>& lines) {
  MutexLock lock(mu_);
  while (waiting_.empty() && !stopping_) wake_.Wait(mu_);
  std::swap(lines, waiting_);
  return !lines.empty();
}

// False: after a pause, and to be tried again. A disk that is full loses lines of a trail that is
// not required: there is no call to refuse any more.
bool AuditTrail::Write(const Line& line) {
  const absl::Status written = file_.Write(line.text);
  const absl::Status& status = written.ok() ? file_.rotation() : written;
  Say(status);
  MutexLock lock(mu_);
  if (!status.ok()) ++failures_;
  broken_ = !written.ok();
  if (!broken_) return true;
  if (!options_.required || stopping_) {
    LeaveOut(line.left_out);
    return true;
  }
  (void)wake_.WaitUntil(mu_, std::chrono::steady_clock::now() + kPause);
  return false;
}

// Once for each occasion.
void AuditTrail::Say(const absl::Status& status) {
  std::string problem(status.message());
  if (problem == problem_) return;
  if (problem.empty()) {
    LogLine(Severity::kInfo, "the audit trail is written again");
  } else {
    LogLine(Severity::kError, absl::StrCat("the audit trail: ", problem));
  }
  problem_ = std::move(problem);
}

}  // namespace prequel
