#include "tests/style/member_probes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

constexpr std::string_view kRequires = "requires", kConcept = "concept";

// Whether `word` stands at `at` as a word of its own.
bool IsWordAt(std::string_view text, std::size_t at, std::string_view word) {
  if (!text.substr(at).starts_with(word) || (at > 0 && IsWordChar(text[at - 1]))) return false;
  const std::size_t end = at + word.size();
  return end == text.size() || !IsWordChar(text[end]);
}

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

// The position behind the parenthesis that closes the one at `at`.
std::size_t BehindParentheses(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return at;
}

// The position of the semicolon that ends the statement at `at`.
std::size_t EndOfStatement(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '(') ++depth;
    if (text[at] == '}' || text[at] == ')') --depth;
    if (text[at] == ';' && depth == 0) break;
  }
  return at;
}

// What `requires` may stand behind as a clause: the end of a template's or a function's parameters.
bool BeginsAClause(std::string_view text, std::size_t at) {
  while (at > 0 && IsSpace(text[at - 1])) --at;
  if (at == 0) return true;
  return text[at - 1] == '>' || text[at - 1] == ')' || IsWordChar(text[at - 1]);
}

// Whether the word at `at` begins an expression with a body, not a clause.
bool IsProbe(std::string_view text, std::size_t at) {
  const std::size_t next = SkipSpace(text, at + kRequires.size());
  if (next == text.size()) return false;
  if (text[next] == '{') return true;
  if (text[next] != '(') return false;
  // `void f() requires (Part<T>) {` is a clause before a body.
  const std::size_t before = text.substr(0, at).find_last_not_of(" \n");
  const bool required = before != text.npos && before + 1 >= kRequires.size() &&
                        IsWordAt(text, before + 1 - kRequires.size(), kRequires);
  if (!required && BeginsAClause(text, at)) return false;
  const std::size_t body = SkipSpace(text, BehindParentheses(text, next));
  return body < text.size() && text[body] == '{';
}

}  // namespace

std::vector<Finding> CheckMemberProbes(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!IsCpp(file.path)) return findings;
  const std::string text = BlankCommentsAndLiterals(file.text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (IsWordAt(text, at, kConcept)) at = EndOfStatement(text, at);
    if (at == text.size() || !IsWordAt(text, at, kRequires) || !IsProbe(text, at)) continue;
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    findings.push_back({file.path, static_cast<int>(line),
                        "probes for a member by its name: what a part must say it says in its "
                        "concept, with a default"});
  }
  return findings;
}

}  // namespace prequel::style
