// Policy files: who may do what.
//
// The input is the file. What is refused says in which line, and never repeats what stands where
// somebody may have written a token. In depth: whoever is in the policy is found by all that it
// says, each block of models counts for one, and comments change nothing.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "server/auth/policy.h"
#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz {
namespace {

constexpr std::string_view kToken = "token";
constexpr std::size_t kLikeASecret = 24;  // what is shorter may be in a message by itself

bool IsOfTokens(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; }

// What follows `token` at the beginning of a line, as long as it is like one, and stands in no line
// that begins otherwise: a pattern, say, may be in a message.
void RequireNoSecret(std::string_view text, std::string_view message) {
  std::string open;
  std::vector<std::string_view> secrets;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(kToken)) {
      open.append(line) += '\n';
      continue;
    }
    line.remove_prefix(kToken.size());
    for (auto begin = line.begin(); begin != line.end();) {
      const auto end = std::find_if_not(begin, line.end(), IsOfTokens);
      if (static_cast<std::size_t>(end - begin) >= kLikeASecret) secrets.emplace_back(begin, end);
      begin = std::find_if(end, line.end(), IsOfTokens);
    }
  }
  for (const std::string_view secret : secrets) {
    Require(message.find(secret) == message.npos || open.find(secret) != open.npos,
            "an error keeps what may be a token to itself", message);
  }
}

void RequireFound(const Policy& policy) {
  for (const Principal& principal : policy.principals()) {
    for (const TokenHash& token : principal.tokens) {
      Require(policy.Find({.token = token, .certificate = ""}) == &principal, "a token is found");
    }
    for (const std::string& name : principal.certificates) {
      Require(policy.Find({.token = std::nullopt, .certificate = name}) == &principal,
              "a certificate is found", name);
    }
    Require(!principal.tokens.empty() || !principal.certificates.empty(), "each can be known");
    Require(principal.share >= 1 && principal.share <= kMostShare, "shares are within their range");
    for (const std::string& pattern : principal.models) {
      Require(principal.MayUse(pattern), "a pattern fits itself", pattern);
    }
  }
  Require(policy.Find({.token = HashToken("nobody's"), .certificate = ""}) == nullptr,
          "nobody is found by what nobody has");
}

void RequireLimits(const Policy& policy) {
  for (const ModelLimits& limits : policy.models()) {
    // Of what fits no block before, its pattern is an example.
    Require(policy.LimitsOf(limits.pattern) == &limits, "each counts for something",
            limits.pattern);
    Require(limits.share >= 1 && limits.share <= kMostShare, "shares are within their range");
    Require(limits.quotas.models == 0, "a model makes no models");
  }
}

void Run(std::string_view text) {
  const absl::StatusOr<Policy> policy = Policy::Parse(text);
  if (!policy.ok()) {
    const std::string message(policy.status().message());
    Require(absl::IsInvalidArgument(policy.status()), "a policy is right or wrong", message);
    Require(message.starts_with("line ") || message.starts_with("no principal"),
            "an error says where", message);
    RequireNoSecret(text, message);
    return;
  }
  if (!InDepth(text)) return;
  RequireFound(*policy);
  RequireLimits(*policy);
  const absl::StatusOr<Policy> again = Policy::Parse("# a comment\n" + std::string(text) + "\n#\n");
  Require(again.ok() && again->principals().size() == policy->principals().size() &&
              again->models().size() == policy->models().size(),
          "comments change nothing");
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
