#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/commands.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"

namespace prequel::cli {
namespace {

struct TokenFlags {
  std::string name;
  std::string role = "read";
  std::string models = "*";
  double days = 0;
  std::string output;
};

// 256 bits, in letters that need no quoting anywhere; the prefix is for those who look for secrets
// in places where none should be.
absl::StatusOr<std::string> NewToken() {
  std::array<unsigned char, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return absl::UnavailableError(absl::StrCat("no random numbers: ", std::strerror(errno)));
  }
  return absl::StrCat("prequel_", absl::WebSafeBase64Escape(
                                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

std::string HashOf(const std::string& token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), hash.data());
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

// WriteSecret writes the token for its owner alone, and never over another file.
absl::Status WriteSecret(const std::string& path, const std::string& token) {
  const std::string line = token + "\n";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (written) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

bool IsName(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ||
           c == '@';
  });
}

// PolicyBlock is what the server's policy has of the token.
std::string PolicyBlock(const TokenFlags& flags, const std::string& token) {
  std::string block = absl::StrCat("[", flags.name, "]\ntoken = sha256:", HashOf(token),
                                   "\nrole = ", flags.role, "\n");
  if (flags.role != "metrics") absl::StrAppend(&block, "models = ", flags.models, "\n");
  if (flags.days > 0) {
    const absl::Time end = absl::Now() + absl::Hours(24) * flags.days;
    absl::StrAppend(&block,
                    "expires = ", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", end, absl::UTCTimeZone()),
                    "\n");
  }
  return block;
}

absl::Status MakeToken(const TokenFlags& flags, const Session& session) {
  if (!IsName(flags.name)) {
    return UsageError("name: must be at most 64 letters, digits, '-', '_', '.' and '@'");
  }
  const absl::StatusOr<std::string> token = NewToken();
  if (!token.ok()) return token.status();
  if (!flags.output.empty()) {
    if (absl::Status status = WriteSecret(flags.output, *token); !status.ok()) return status;
  }
  const std::string block = PolicyBlock(flags, *token);
  if (session.json) {
    JsonWriter json;
    json.BeginObject();
    if (flags.output.empty()) json.Key("token").String(*token);
    json.Key("policy").String(block).EndObject();
    std::cout << json.text() << "\n";
    return absl::OkStatus();
  }
  if (flags.output.empty()) {
    std::cout << "The token, which is shown only now, for --token-file or PREQUEL_TOKEN:\n\n"
              << *token << "\n\nThe lines for the server's policy:\n\n";
  }
  std::cout << block;
  return absl::OkStatus();
}

}  // namespace

void AddToken(CLI::App& app, Session& session) {
  CLI::App& token = *app.add_subcommand("token", "Tokens, by which a server knows its callers");
  token.require_subcommand(1);
  const auto flags = std::make_shared<TokenFlags>();
  CLI::App& command =
      AddSubcommand(token, session, "new",
                    "Make a token, and the lines of the server's policy for it", flags, MakeToken);
  command.add_option("name", flags->name, "who will have it")->required();
  command.add_option("--role", flags->role, "metrics, read, learn or admin")
      ->check(CLI::IsMember({"metrics", "read", "learn", "admin"}))
      ->capture_default_str();
  command
      .add_option("--models", flags->models, "what models: names, with commas between; * for any")
      ->capture_default_str();
  command.add_option("--days", flags->days, "how long it counts; without: until it is taken out")
      ->check(CLI::PositiveNumber);
  command.add_option("-o,--output", flags->output,
                     "a new file for the token, instead of showing it");
}

}  // namespace prequel::cli
