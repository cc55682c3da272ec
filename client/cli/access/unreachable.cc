#include "client/cli/access/unreachable.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/access.h"

namespace prequel::cli {
namespace {

// Whether `message` has any of `signs`, which are lower case, in any case.
bool HasAny(std::string_view message, std::initializer_list<const char*> signs) {
  const std::string text = absl::AsciiStrToLower(std::string(message));
  return std::any_of(signs.begin(), signs.end(),
                     [&text](const char* sign) { return text.find(sign) != std::string::npos; });
}

// The proxy that gRPC asks for a server elsewhere; "" when there is none.
std::string Proxy(const std::string& server) {
  if (client::IsThisMachine(server)) return "";
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* proxy = std::getenv(name);
    if (proxy != nullptr && *proxy != '\0') return absl::StrCat(name, "=", proxy);
  }
  return "";
}

}  // namespace

Unreachable WhyUnreachable(std::string_view message, const std::string& server) {
  const std::string insecure = absl::StrCat("no secure connection to ", server, ": ");
  if (HasAny(message, {"hostname verification check failed", "not in peer certificate"})) {
    return {absl::StrCat(insecure, "its certificate is of another name"),
            "--tls-server-name says which name it has, or --server calls the server by that name"};
  }
  if (HasAny(message, {"certificate verify failed", "certificate_verify_failed"})) {
    return {
        absl::StrCat(insecure, "its certificate is not signed by who is trusted here"),
        "--tls-ca names the file of the authority that signed it, or of the certificate itself"};
  }
  if (HasAny(message, {"wrong version number", "wrong_version_number"})) {
    return {absl::StrCat(insecure, "it does not speak TLS on this port"),
            "leave --tls and --tls-ca out, or start prequeld with --tls-cert and --tls-key"};
  }
  Unreachable unreachable{absl::StrCat("no answer from ", server),
                          "is prequeld running there? --server or PREQUEL_SERVER names another "
                          "address"};
  if (HasAny(message, {"socket closed", "connection reset"})) {
    unreachable.next =
        "does it take TLS (--tls-ca, --tls), or is it another port than that of gRPC?";
  }
  if (const std::string proxy = Proxy(server); !proxy.empty()) {
    absl::StrAppend(&unreachable.next, " The proxy of ", proxy,
                    " stands between; no_proxy names the hosts that need none");
  }
  return unreachable;
}

}  // namespace prequel::cli
