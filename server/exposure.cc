#include "server/exposure.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

bool IsLoopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  if (address.sa_family != AF_INET6) return false;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
}

// All that it stands for. A host that stands for nothing cannot be listened on.
bool StaysOnThisMachine(const std::string& text) {
  HostPort address;
  if (text.empty() || !ParseHostPort(text, &address).ok()) return true;
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), nullptr, &hints, &found) != 0) return true;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    if (!IsLoopback(*next->ai_addr)) return false;
  }
  return true;
}

bool IsProtected(const ServerOptions& options) {
  return !options.tls_cert.empty() && !options.policy.empty();
}

constexpr char kHowToMend[] =
    "These make what is missing:\n"
    "  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 "
    "-subj \"/CN=$(hostname)\" -addext \"subjectAltName=DNS:$(hostname),DNS:localhost,IP:"
    "127.0.0.1\" -keyout server.key -out server.crt\n"
    "  prequel token new admin --role admin --output admin.token >policy\n"
    "Then add --tls-cert server.crt --tls-key server.key --policy policy. Or, where everybody who "
    "can reach this machine may read and delete every model: --insecure";

}  // namespace

absl::Status CheckExposure(const ServerOptions& options) {
  if (options.insecure || IsProtected(options)) return absl::OkStatus();
  const char* flag = nullptr;
  if (!StaysOnThisMachine(options.http)) flag = "--http";
  if (!StaysOnThisMachine(options.listen)) flag = "--listen";
  if (flag == nullptr) return absl::OkStatus();
  std::string missing;
  if (options.tls_cert.empty()) missing = "TLS";
  if (options.policy.empty()) absl::StrAppend(&missing, missing.empty() ? "" : " and ", "a policy");
  return absl::FailedPreconditionError(
      absl::StrCat(flag, ": other machines can reach ",
                   flag == std::string("--http") ? options.http : options.listen, " without ",
                   missing, ". ", kHowToMend));
}

std::string InsecureWarning(const ServerOptions& options) {
  std::string warning = "--insecure:";
  if (options.tls_cert.empty()) {
    warning += " what is sent, tokens too, can be read on its way;";
  }
  if (options.policy.empty()) {
    warning += " whoever reaches this server may read, change and delete every model;";
  }
  return warning + " for networks that are trusted as a whole";
}

}  // namespace prequel
