#include "tests/accept/guard/papers.h"

#include <openssl/rand.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/auth/token_hash.h"

namespace prequel::accept {
namespace {

template <class Bytes>
std::string Hexadecimal(const Bytes& bytes) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string NewToken() {
  std::array<std::uint8_t, 32> secret{};
  (void)RAND_bytes(secret.data(), static_cast<int>(secret.size()));
  return "prequel_" + Hexadecimal(secret);
}

}  // namespace

Papers::Papers(std::string folder, std::vector<Principal> principals)
    : folder_(std::move(folder)), principals_(std::move(principals)), ca_(authority_.pem()) {
  std::filesystem::create_directories(folder_);
  for (const Principal& principal : principals_) tokens_[principal.name] = NewToken();
  Replace("ca.pem", ca_);
  (void)RenewCertificate();
  MutexLock lock(mu_);
  for (const Principal& principal : principals_) admitted_[principal.name] = true;
  WritePolicy();
}

std::vector<std::string> Papers::Flags() const {
  return {"--tls-cert=" + PathOf("cert.pem"), "--tls-key=" + PathOf("key.pem"),
          "--policy=" + PathOf("policy")};
}

client::ClientOptions Papers::OptionsOf(const std::string& principal,
                                        const std::string& server) const {
  return {.server = server, .security = {.ca = PathOf("ca.pem"), .token = tokens_.at(principal)}};
}

Entrance Papers::EntranceOf(const std::string& principal, const std::string& server) const {
  return {.address = server, .ca = ca_, .token = tokens_.at(principal)};
}

std::string Papers::RenewCertificate() {
  const Issued issued = authority_.IssueForLoopback();
  Replace("key.pem", issued.key);  // for a moment the key of another certificate
  Replace("cert.pem", issued.certificate);
  return issued.certificate;
}

void Papers::Admit(const std::string& principal, bool admitted) {
  MutexLock lock(mu_);
  admitted_[principal] = admitted;
  WritePolicy();
}

void Papers::WritePolicy() {
  std::string policy;
  for (const Principal& principal : principals_) {
    if (!admitted_[principal.name]) continue;
    absl::StrAppend(&policy, "[", principal.name,
                    "]\ntoken = sha256:", Hexadecimal(HashToken(tokens_[principal.name])),
                    "\nrole = ", principal.role, "\nmodels = ", principal.models, "\n");
  }
  Replace("policy", policy);
}

void Papers::Replace(const std::string& file, const std::string& content) const {
  const std::string next = PathOf(file) + ".next";
  std::ofstream(next, std::ios::binary) << content;
  std::filesystem::rename(next, PathOf(file));
}

}  // namespace prequel::accept
