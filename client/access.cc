#include "client/access.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel::client {
namespace {

constexpr std::chrono::seconds kReadAgain{1};
constexpr std::size_t kMaxToken = 4096;

absl::Status ReadFile(const char* what, const std::string& path, std::string* content) {
  if (path.empty()) return absl::OkStatus();
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    return absl::FailedPreconditionError(absl::StrCat("cannot read the ", what, " in ", path, ": ",
                                                      std::strerror(errno != 0 ? errno : EIO)));
  }
  *content = text.str();
  return absl::OkStatus();
}

// An HTTP header could not carry anything else.
bool IsToken(std::string_view text) {
  return !text.empty() && text.size() <= kMaxToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

bool IsThisMachine(std::string_view server) {
  return server.starts_with("127.") || server.starts_with("localhost:") ||
         server.starts_with("[::1]:") || server.starts_with("unix:");
}

Access::Access(const std::string& server, const SecurityOptions& options,
               std::shared_ptr<grpc::ChannelCredentials> credentials)
    : server_(server), options_(options), credentials_(std::move(credentials)) {
  const bool files = !options_.ca.empty() || !options_.certificate.empty() || !options_.key.empty();
  tls_ = credentials_ != nullptr || options_.tls || files;
  problem_ = CheckOptions();
  if (problem_.ok() && tls_ && credentials_ == nullptr) problem_ = ReadTls();
  if (credentials_ == nullptr) credentials_ = grpc::InsecureChannelCredentials();
}

absl::Status Access::CheckOptions() const {
  if (options_.certificate.empty() != options_.key.empty()) {
    return absl::FailedPreconditionError(
        "a client's certificate and its private key go together: one of them is not given");
  }
  const bool token = !options_.token.empty() || !options_.token_file.empty();
  if (token && !tls_ && !IsThisMachine(server_)) {
    return absl::FailedPreconditionError(
        absl::StrCat("a token is not sent to ", server_, " in plain text: use TLS"));
  }
  return absl::OkStatus();
}

absl::Status Access::ReadTls() {
  grpc::SslCredentialsOptions tls;
  absl::Status status = ReadFile("CA certificates", options_.ca, &tls.pem_root_certs);
  if (status.ok()) status = ReadFile("certificate", options_.certificate, &tls.pem_cert_chain);
  if (status.ok()) status = ReadFile("private key", options_.key, &tls.pem_private_key);
  if (!status.ok()) return status;
  if (!options_.ca.empty() && tls.pem_root_certs.find("-----BEGIN") == std::string::npos) {
    return absl::FailedPreconditionError(
        absl::StrCat(options_.ca, " must hold PEM certificates of whom to trust"));
  }
  credentials_ = grpc::SslCredentials(tls);
  return absl::OkStatus();
}

absl::Status Access::Prepare(grpc::ClientContext& context) const {
  if (!problem_.ok()) return problem_;
  const absl::StatusOr<std::string> token = Token();
  if (!token.ok()) return token.status();
  if (!token->empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", *token));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Access::Token() const {
  if (options_.token_file.empty() && options_.token.empty()) return std::string();
  const std::lock_guard lock(mu_);
  const auto now = std::chrono::steady_clock::now();
  if (!token_.empty() && now < read_again_) return token_;
  std::string text = options_.token;
  if (!options_.token_file.empty()) {
    const absl::Status status = ReadFile("token", options_.token_file, &text);
    if (!status.ok()) return status;
  }
  text = Trimmed(text);
  // The message does not repeat the token, which is a secret.
  if (!IsToken(text)) {
    return absl::FailedPreconditionError(
        absl::StrCat(options_.token_file.empty() ? "the given token" : options_.token_file,
                     " must hold a token, as `prequel token new` makes them"));
  }
  token_ = std::move(text);
  read_again_ = now + kReadAgain;
  return token_;
}

}  // namespace prequel::client
