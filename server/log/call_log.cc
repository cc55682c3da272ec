#include "server/log/call_log.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

constexpr std::size_t kMaxResource = 128;
constexpr std::size_t kMaxMessage = 512;

bool IsSerious(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

// A caller may write anything there: it ends where its quotes do.
std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", absl::CEscape(std::string(text.substr(0, kMaxResource))), "\"");
}

}  // namespace

void CallLog::OnCall(const CallRecord& call) {
  if (!IsSerious(call.code)) return;
  const std::optional<std::int64_t> left_out = budget_.Take(now_());
  if (!left_out) return;
  std::string line = absl::StrCat(std::string(call.method), " by ", Quoted(call.principal));
  if (!call.resource.empty()) absl::StrAppend(&line, " of ", Quoted(call.resource));
  if (!call.request_id.empty()) absl::StrAppend(&line, ", request ", Quoted(call.request_id));
  absl::StrAppend(&line, ": ", absl::StatusCodeToString(call.code), ": ",
                  std::string(call.message.substr(0, kMaxMessage)));
  if (*left_out > 0) absl::StrAppend(&line, " (", *left_out, " such lines were left out before)");
  LogLine(Severity::kError, line);
}

}  // namespace prequel
