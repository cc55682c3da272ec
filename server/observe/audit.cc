#include "server/observe/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace prequel {
namespace {

constexpr std::size_t kMaxWaiting = 10'000;
constexpr std::size_t kMaxResource = 256;
constexpr std::chrono::milliseconds kPause{500};  // before a line is tried again

bool OnlyLooks(std::string_view method) {
  constexpr auto kLooking = std::to_array<std::string_view>(
      {"GetModel", "ListModels", "ListRevisions", "Predict", "GetEvaluation", "WatchEvaluation",
       "ListParts", "ServerMetadata", "ModelReady", "ModelMetadata", "ModelInfer"});
  return std::find(kLooking.begin(), kLooking.end(), method) != kLooking.end();
}

// Names are ASCII; what else a caller writes in their place is marked, not kept.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, kMaxResource)) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.append(c >= ' ' && c <= '~' ? std::string(1, c) : "\\ufffd");
  }
  return quoted + "\"";
}

std::string LineOf(const CallRecord& call, std::int64_t left_out) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(call.start), absl::UTCTimeZone());
  const double milliseconds = std::chrono::duration<double, std::milli>(call.duration).count();
  return absl::StrCat("{\"time\":\"", time, "\",\"principal\":", Quoted(call.principal),
                      ",\"method\":", Quoted(call.method), ",\"resource\":", Quoted(call.resource),
                      ",\"code\":\"", absl::StatusCodeToString(call.code),
                      "\",\"request_bytes\":", call.request_bytes,
                      ",\"response_bytes\":", call.response_bytes, ",\"rows\":", call.rows,
                      ",\"milliseconds\":", absl::StrFormat("%.3f", milliseconds),
                      left_out > 0 ? absl::StrCat(",\"left_out_before\":", left_out) : "", "}\n");
}

}  // namespace

absl::StatusOr<std::unique_ptr<AuditTrail>> AuditTrail::Open(const AuditOptions& options) {
  std::unique_ptr<AuditTrail> trail(new AuditTrail(options));
  if (absl::Status status = trail->OpenFile(); !status.ok()) return status;
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
  if (fd_ >= 0) close(fd_);
}

absl::Status AuditTrail::OpenFile() {
  fd_ = open(options_.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat status = {};
  if (fd_ < 0 || fstat(fd_, &status) != 0) {
    return absl::UnavailableError(
        absl::StrCat("--audit: cannot write ", options_.path, ": ", std::strerror(errno)));
  }
  bytes_ = status.st_size;
  return absl::OkStatus();
}

absl::Status AuditTrail::MayBegin(std::string_view method) const {
  if (!options_.required || OnlyLooks(method)) return absl::OkStatus();
  MutexLock lock(mu_);
  if (!broken_ && waiting_.size() < kMaxWaiting / 2) return absl::OkStatus();
  return absl::UnavailableError(
      "the audit trail cannot be written, and nothing may change without it (--audit-required)");
}

void AuditTrail::OnCall(const CallRecord& call) {
  if (OnlyLooks(call.method)) return;
  MutexLock lock(mu_);
  if (waiting_.size() >= kMaxWaiting) {
    ++left_out_;
    return;
  }
  waiting_.push_back(LineOf(call, std::exchange(left_out_, 0)));
  wake_.NotifyOne();
}

void AuditTrail::Loop() {
  std::vector<std::string> lines;
  while (Take(lines)) {
    for (const std::string& line : lines) {
      while (!Write(line) && Wait()) continue;
    }
    lines.clear();
  }
}

// A disk that is full loses lines of a trail that is not required: there is no call to refuse any
// more.
bool AuditTrail::Wait() {
  MutexLock lock(mu_);
  if (!options_.required || stopping_) return false;
  (void)wake_.WaitUntil(mu_, std::chrono::system_clock::now() + kPause);
  return true;
}

// Waits for lines; false when there will be none.
bool AuditTrail::Take(std::vector<std::string>& lines) {
  MutexLock lock(mu_);
  while (waiting_.empty() && !stopping_) wake_.Wait(mu_);
  std::swap(lines, waiting_);
  return !lines.empty();
}

bool AuditTrail::Write(const std::string& line) {
  const auto length = static_cast<std::int64_t>(line.size());
  if (bytes_ > 0 && bytes_ + length > options_.max_bytes) Rotate();
  const ssize_t written = fd_ >= 0 ? write(fd_, line.data(), line.size()) : -1;
  if (written == length) {
    bytes_ += length;
  } else {
    if (written > 0) (void)!ftruncate(fd_, bytes_);  // no part of a line
    if (fd_ >= 0) close(fd_);
    (void)OpenFile();  // it may be another one by now
  }
  MutexLock lock(mu_);
  broken_ = written != length;
  return !broken_;
}

void AuditTrail::Rotate() {
  if (fd_ >= 0) close(fd_);
  for (int i = options_.kept; i > 0; --i) {
    const std::string from = i == 1 ? options_.path : absl::StrCat(options_.path, ".", i - 1);
    std::rename(from.c_str(), absl::StrCat(options_.path, ".", i).c_str());
  }
  (void)OpenFile();
}

}  // namespace prequel
