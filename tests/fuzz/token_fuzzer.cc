// The header `authorization` of a call, and the names in a client certificate.
//
// The input is names, a line each, then a line without anything, then the header. Nobody but who
// has the token, or a name that is in the policy, is let in, and no error repeats the header.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/auth/gate.h"
#include "server/auth/policy_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz {
namespace {

constexpr std::string_view kToken = "prequel-0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
constexpr std::string_view kName = "dns:known";
constexpr std::size_t kLikeASecret = 64;  // no message is so long

const PolicyFile& KnownPolicy() {
  static const PolicyFile* const kPolicy = [] {
    const TokenHash hash = HashToken(kToken);
    const std::string text = absl::StrCat(
        "[by-token]\nrole = learn\nmodels = *\ntoken = sha256:",
        absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()}),
        "\n[by-name]\nrole = read\nmodels = *\ncertificate = ", std::string(kName), "\n");
    const int fd = memfd_create("policy", 0);
    Require(write(fd, text.data(), text.size()) == ssize_t(text.size()), "a file");
    auto policy = PolicyFile::Open(absl::StrCat("/proc/self/fd/", fd));
    Require(policy.ok(), "the policy is read", policy.status().ToString());
    return policy->release();
  }();
  return *kPolicy;
}

bool IsTheToken(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  if (header.size() != kScheme.size() + kToken.size() || !header.ends_with(kToken)) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if ((header[i] | (kScheme[i] == ' ' ? 0 : 0x20)) != kScheme[i]) return false;
  }
  return true;
}

void Run(std::string_view bytes) {
  Credentials credentials;
  bool known = false;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    if (line.empty()) break;
    known |= line == kName;
    credentials.names.emplace_back(line);
  }
  credentials.authorization = bytes;
  const Gate gate(&KnownPolicy());
  const absl::StatusOr<Caller> caller = gate.Identify(credentials);
  if (!bytes.empty()) {
    Require(caller.ok() == IsTheToken(bytes), "who has the token, and nobody else", bytes);
  } else {
    Require(caller.ok() == known, "who has the name, and nobody else");
  }
  if (!caller.ok()) {
    const std::string message(caller.status().message());
    Require(absl::IsUnauthenticated(caller.status()), "it is not known who calls", message);
    Require(bytes.size() < kLikeASecret || message.find(bytes) == message.npos,
            "no header is repeated");
    return;
  }
  Require(caller->name() == (bytes.empty() ? "by-name" : "by-token"), "it is the right one");
  Require(gate.Renew(*caller).ok(), "and still is");
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
