#include "client/cli/error_text.h"

#include "absl/strings/str_cat.h"
#include "client/call_error.h"
#include "client/cli/access/unreachable.h"
#include "client/cli/session.h"

namespace prequel::cli {
namespace {

using client::ErrorDetails;
using client::FieldViolation;

bool IsUnreachable(const absl::Status& status) {
  return client::IsFromCall(status) && absl::IsUnavailable(status) &&
         client::DetailsOf(status).reason.empty();
}

std::string NextStep(const absl::Status& status, const std::string& server) {
  if (IsUnreachable(status)) {
    return WhyUnreachable(std::string(status.message()), server).next;
  }
  if (ExitCodeOf(status) == kUsage) return "see `prequel --help`";
  if (!client::IsFromCall(status)) return "";
  switch (status.code()) {
    case absl::StatusCode::kDeadlineExceeded:
      return "raise --timeout, or look at the server's load";
    case absl::StatusCode::kNotFound:
      return "`prequel list` shows the models there are";
    case absl::StatusCode::kAlreadyExists:
      return "choose another name, or remove the old one with `prequel delete`";
    case absl::StatusCode::kResourceExhausted:
      if (status.message().find("larger than max") != std::string::npos) {
        return "send less at once, or start prequeld with a larger --max-message-bytes";
      }
      if (status.message().find("try again") != std::string::npos) return "";
      return "send smaller minibatches, or try again when the server is less busy";
    case absl::StatusCode::kUnimplemented:
      return "the server is older than this client, or is not prequeld";
    case absl::StatusCode::kUnauthenticated:
      return "give a token of the server's policy (--token-file, PREQUEL_TOKEN) or a client "
             "certificate (--tls-cert, --tls-key)";
    case absl::StatusCode::kPermissionDenied:
      return "the server's policy decides that";
    case absl::StatusCode::kInvalidArgument:
      if (status.message().find("the model file") == std::string::npos) return "";
      return "is it one that `prequel export` wrote, and whole?";
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
      return "the server's log says more";
    default:
      return "";
  }
}

std::string What(const absl::Status& status, const std::string& server) {
  const bool from_call = client::IsFromCall(status);
  // gRPC's own text for an unreachable server speaks of addresses it tried: noise to a person.
  if (IsUnreachable(status)) {
    return WhyUnreachable(std::string(status.message()), server).what;
  }
  if (from_call && absl::IsDeadlineExceeded(status) && status.message() == "Deadline Exceeded") {
    return absl::StrCat(server, " did not answer in time");
  }
  if (status.message().empty()) return absl::StatusCodeToString(status.code());
  return std::string(status.message());
}

// Some descriptions begin with the field's name, some do not.
std::string ViolationText(const FieldViolation& violation) {
  if (violation.description.starts_with(violation.field)) return violation.description;
  return absl::StrCat(violation.field, ": ", violation.description);
}

}  // namespace

std::string ErrorText(const absl::Status& status, const std::string& server) {
  const ErrorDetails details = client::DetailsOf(status);
  std::string text = absl::StrCat("prequel: ", What(status, server));
  if (const std::string next = NextStep(status, server); !next.empty()) {
    absl::StrAppend(&text, "; ", next);
  }
  absl::StrAppend(&text, "\n");
  for (const FieldViolation& violation : details.violations) {
    const std::string line = ViolationText(violation);
    // Often the message already is the only violation's text.
    if (std::string(status.message()).find(line) != std::string::npos) continue;
    absl::StrAppend(&text, "  ", line, "\n");
  }
  if (client::IsFromCall(status)) {
    absl::StrAppend(&text, "  [", absl::StatusCodeToString(status.code()),
                    details.reason.empty() ? "" : ", ", details.reason, "]\n");
  }
  return text;
}

}  // namespace prequel::cli
