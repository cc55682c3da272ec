#include "server/auth/policy_parser.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/auth/model_pattern.h"

namespace prequel {
namespace {

constexpr std::size_t kMaxPrincipals = 10'000;
constexpr std::size_t kMaxPerPrincipal = 64;  // tokens, certificates, patterns
constexpr std::size_t kMaxModelBlocks = 256;  // looked through at every call
constexpr std::size_t kMaxName = 64;
constexpr std::int64_t kMostOfQuota = std::int64_t{1} << 50;
constexpr std::string_view kCollection = "models/";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A # inside of a word is part of it.
std::string_view WithoutComment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Names go into logs: nothing there that could be mistaken for more.
bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.' || c == '@';
         });
}

// Anything else may be a secret at the wrong place, and is not repeated in an error.
bool LooksLikeField(std::string_view text) {
  constexpr std::size_t kLongest = 20;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

std::int64_t* QuotaNamed(std::string_view name, Quotas& quotas) {
  if (name == "calls_in_flight") return &quotas.calls_in_flight;
  if (name == "bytes_in_flight") return &quotas.bytes_in_flight;
  if (name == "rows_per_second") return &quotas.rows_per_second;
  return nullptr;
}

// A whole number from 1 to `most`.
std::optional<std::int64_t> NumberUpTo(std::int64_t most, std::string_view text) {
  std::int64_t number = 0;
  const bool whole = absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number);
  if (!whole || number < 1 || number > most) return std::nullopt;
  return number;
}

bool IsCertificateName(std::string_view text) {
  for (const std::string_view kind : {"uri:", "dns:", "cn:"}) {
    if (text.starts_with(kind) && text.size() > kind.size()) return true;
  }
  return false;
}

class Parser {
 public:
  absl::Status ReadLine(std::string_view line) {
    ++line_;
    line = Trimmed(WithoutComment(line));
    if (line.empty()) return absl::OkStatus();
    if (line.front() == '[') return Begin(line);
    const std::size_t equals = line.find('=');
    if (equals == line.npos) {
      return Wrong("", "must be [name], [models/PATTERN], field = value, or a # and a comment");
    }
    const std::string field(Trimmed(line.substr(0, equals)));
    if (!LooksLikeField(field)) {
      return Wrong("", "what is before the = is no field, nor looks like one");
    }
    const std::string_view value = Trimmed(line.substr(equals + 1));
    switch (block_) {
      case Block::kNone:
        break;
      case Block::kPrincipal:
        return Set(field, value, blocks_.principals.back());
      case Block::kModels:
        return Set(field, value, blocks_.models.back());
    }
    return Wrong(field, "must stand under the [name] of a principal or under [models/PATTERN]");
  }

  absl::StatusOr<PolicyBlocks> Finish() {
    absl::Status status = End();
    if (status.ok() && blocks_.principals.empty()) {
      status = absl::InvalidArgumentError("no principal: nobody could call");
    }
    if (!status.ok()) return status;
    return std::move(blocks_);
  }

 private:
  enum class Block { kNone, kPrincipal, kModels };

  absl::Status Wrong(const std::string& field, std::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("line ", line_, field.empty() ? "" : ", ", field, ": ", std::string(what)));
  }

  absl::Status Begin(std::string_view line) {
    if (absl::Status status = End(); !status.ok()) return status;
    const std::string_view name =
        line.back() == ']' ? Trimmed(line.substr(1, line.size() - 2)) : std::string_view();
    begun_ = line_;
    fields_.clear();
    if (name.starts_with(kCollection)) return BeginModels(name.substr(kCollection.size()));
    return BeginPrincipal(name);
  }

  absl::Status BeginPrincipal(std::string_view name) {
    if (!IsName(name)) {
      return Wrong("", absl::StrCat("must be [name] of at most ", kMaxName,
                                    " letters, digits, '-', '_', '.' and '@', or "
                                    "[models/PATTERN]"));
    }
    if (!names_.insert(std::string(name)).second) {
      return Wrong("", absl::StrCat("[", std::string(name), "] is here a second time"));
    }
    if (blocks_.principals.size() == kMaxPrincipals) {
      return Wrong("", absl::StrCat("more than ", kMaxPrincipals, " principals"));
    }
    Principal& principal = blocks_.principals.emplace_back();
    principal.name = name;
    principal.meter = std::make_shared<Meter>(principal.name);
    block_ = Block::kPrincipal;
    return absl::OkStatus();
  }

  absl::Status BeginModels(std::string_view pattern) {
    if (!IsModelPattern(pattern)) {
      return Wrong("",
                   "must be [models/PATTERN] of a model's name, in which * stands for anything");
    }
    for (const ModelLimits& before : blocks_.models) {
      if (!FitsPattern(before.pattern, pattern)) continue;
      return Wrong("", absl::StrCat("[models/", std::string(pattern), "] counts for no model: [",
                                    "models/", before.pattern, "] stands before it, and the first ",
                                    "that fits counts"));
    }
    if (blocks_.models.size() == kMaxModelBlocks) {
      return Wrong("", absl::StrCat("more than ", kMaxModelBlocks, " blocks [models/PATTERN]"));
    }
    blocks_.models.emplace_back().pattern = pattern;
    block_ = Block::kModels;
    return absl::OkStatus();
  }

  // End checks that nothing is missing in the block before.
  absl::Status End() const {
    std::string name;
    const char* missing = nullptr;
    switch (block_) {
      case Block::kNone:
        break;
      case Block::kPrincipal:
        name = blocks_.principals.back().name;
        missing = MissingOf(blocks_.principals.back());
        break;
      case Block::kModels:
        name = absl::StrCat("models/", blocks_.models.back().pattern);
        if (fields_.empty()) missing = "a quota or a share";
        break;
    }
    if (missing == nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("line ", begun_, ": [", name, "] needs ", missing));
  }

  // MissingOf names what a block lacks; null: nothing.
  const char* MissingOf(const Principal& principal) const {
    if (!fields_.contains("role")) return "a role: metrics, read, learn or admin";
    if (principal.models.empty() && principal.role != Role::kMetrics) {
      return "models: their names, or * for all";
    }
    if (principal.tokens.empty() && principal.certificates.empty()) {
      return "a token or a certificate";
    }
    return nullptr;
  }

  absl::Status Set(const std::string& field, std::string_view value, Principal& principal) {
    if (field == "token") return AddToken(value, principal);
    if (field == "certificate") return AddCertificate(value, principal);
    if (!fields_.insert(field).second) return Wrong(field, "is here a second time");
    if (field == "role") return SetRole(value, principal);
    if (field == "models") return SetModels(value, principal);
    if (field == "expires") return SetExpiry(value, principal);
    if (field == "share") return SetShare(value, principal.share);
    std::int64_t* const quota =
        field == "max_models" ? &principal.quotas.models : QuotaNamed(field, principal.quotas);
    if (quota != nullptr) return SetQuota(field, value, *quota);
    return Wrong(field,
                 "is no field; there are token, certificate, role, models, expires, "
                 "calls_in_flight, bytes_in_flight, rows_per_second, max_models and share");
  }

  absl::Status Set(const std::string& field, std::string_view value, ModelLimits& limits) {
    if (!fields_.insert(field).second) return Wrong(field, "is here a second time");
    if (field == "share") return SetShare(value, limits.share);
    std::int64_t* const quota = QuotaNamed(field, limits.quotas);
    if (quota != nullptr) return SetQuota(field, value, *quota);
    return Wrong(field,
                 "is no field of [models/PATTERN]; there are calls_in_flight, bytes_in_flight, "
                 "rows_per_second and share");
  }

  absl::Status AddToken(std::string_view value, Principal& principal) {
    const std::optional<TokenHash> hash = ParseTokenHash(value);
    if (!hash) {
      return Wrong("token",
                   "must be sha256: and 64 hexadecimal digits, as `prequel token new` prints it; "
                   "a token itself has no place here");
    }
    if (!tokens_.insert(*hash).second) return Wrong("token", "is here a second time");
    if (principal.tokens.size() == kMaxPerPrincipal) return Wrong("token", "too many");
    principal.tokens.push_back(*hash);
    return absl::OkStatus();
  }

  absl::Status AddCertificate(std::string_view value, Principal& principal) {
    if (!IsCertificateName(value)) {
      return Wrong("certificate",
                   "must be uri:NAME or dns:NAME, an alternative name in the client's certificate, "
                   "or cn:NAME, its common name");
    }
    if (!certificates_.insert(std::string(value)).second) {
      return Wrong("certificate", "is here a second time");
    }
    if (principal.certificates.size() == kMaxPerPrincipal) return Wrong("certificate", "too many");
    principal.certificates.emplace_back(value);
    return absl::OkStatus();
  }

  absl::Status SetRole(std::string_view value, Principal& principal) const {
    const std::optional<Role> role = RoleNamed(value);
    if (!role) return Wrong("role", "must be metrics, read, learn or admin");
    principal.role = *role;
    return absl::OkStatus();
  }

  absl::Status SetModels(std::string_view value, Principal& principal) const {
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t comma = std::min(value.find(',', begin), value.size());
      const std::string_view pattern = Trimmed(value.substr(begin, comma - begin));
      if (!IsModelPattern(pattern)) {
        return Wrong("models",
                     "must be names of models, with commas between them, in which * stands for "
                     "anything");
      }
      principal.models.emplace_back(pattern);
      begin = comma + 1;
    }
    if (principal.models.size() > kMaxPerPrincipal) return Wrong("models", "too many");
    return absl::OkStatus();
  }

  absl::Status SetExpiry(std::string_view value, Principal& principal) const {
    absl::Time time;
    std::string ignored;
    if (!absl::ParseTime(absl::RFC3339_full, {value.data(), value.size()}, &time, &ignored)) {
      return Wrong("expires", "must be a time such as 2027-01-31T00:00:00Z");
    }
    principal.expires = absl::ToChronoTime(time);
    return absl::OkStatus();
  }

  absl::Status SetQuota(const std::string& field, std::string_view value,
                        std::int64_t& quota) const {
    const std::optional<std::int64_t> number = NumberUpTo(kMostOfQuota, value);
    if (!number) {
      return Wrong(field, absl::StrCat("must be a whole number from 1 to ", kMostOfQuota,
                                       "; leave it out for no limit"));
    }
    quota = *number;
    return absl::OkStatus();
  }

  absl::Status SetShare(std::string_view value, int& share) const {
    const std::optional<std::int64_t> number = NumberUpTo(kMostShare, value);
    if (!number) {
      return Wrong("share", absl::StrCat("must be a whole number from 1 to ", kMostShare,
                                         "; leave it out for ", kEvenShare));
    }
    share = static_cast<int>(*number);
    return absl::OkStatus();
  }

  PolicyBlocks blocks_;
  Block block_ = Block::kNone;    // the last
  int line_ = 0, begun_ = 0;      // begun_: of the last block
  std::set<std::string> fields_;  // of the last block
  // These sets are of all blocks.
  std::set<std::string> names_, certificates_;
  std::set<TokenHash> tokens_;
};

}  // namespace

absl::StatusOr<PolicyBlocks> ParsePolicy(std::string_view text) {
  Parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    const std::string_view content = line.back() == '\n' ? line.substr(0, end) : line;
    if (absl::Status status = parser.ReadLine(content); !status.ok()) return status;
    text.remove_prefix(line.size());
  }
  return parser.Finish();
}

}  // namespace prequel
