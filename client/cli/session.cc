#include "client/cli/session.h"

#include <chrono>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "client/call_error.h"

namespace prequel::cli {
namespace {

constexpr char kUsagePayload[] = "prequel/usage";
constexpr char kExitPayload[] = "prequel/exit";

}  // namespace

client::ClientOptions Session::client_options() const {
  const std::chrono::duration<double> timeout(timeout_seconds);
  return {.server = server,
          .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout),
          .security = security};
}

absl::Status UsageError(const std::string& message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUsagePayload, absl::Cord(""));
  return status;
}

absl::Status ExitWith(ExitCode code) {
  if (code == kOk) return absl::OkStatus();
  absl::Status status = absl::UnknownError("");
  status.SetPayload(kExitPayload, absl::Cord(std::to_string(code)));
  return status;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return kOk;
  if (status.GetPayload(kUsagePayload).has_value()) return kUsage;
  const absl::optional<absl::Cord> exit = status.GetPayload(kExitPayload);
  if (exit) return static_cast<ExitCode>(std::stoi(std::string(*exit)));
  if (!client::IsFromCall(status)) return kBadData;
  const bool unreachable = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return unreachable ? kUnreachable : kRefused;
}

bool HasMessage(const absl::Status& status) {
  return !status.ok() && !status.GetPayload(kExitPayload).has_value();
}

}  // namespace prequel::cli
