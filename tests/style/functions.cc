#include "tests/style/functions.h"

#include <algorithm>
#include <array>

#include "tests/style/source_file.h"

namespace prequel::style {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view FirstWord(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsWordChar);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Preprocessor lines, continuations included, blanked out.
void BlankDirectives(std::string* text) {
  bool directive = false;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string_view line = Trim(std::string_view(*text).substr(at, end - at));
    directive = directive || line.starts_with("#");
    const bool continues = directive && line.ends_with("\\");
    if (directive)
      std::fill(text->begin() + static_cast<std::ptrdiff_t>(at),
                text->begin() + static_cast<std::ptrdiff_t>(end), ' ');
    directive = continues;
    at = end + 1;
  }
}

// `head` without leading `template <...>` clauses.
std::string_view SkipTemplates(std::string_view head) {
  while (FirstWord(head) == "template") {
    std::size_t at = head.find('<');
    int depth = 0;
    for (; at < head.size(); ++at) {
      if (head[at] == '<') ++depth;
      if (head[at] == '>' && --depth == 0) break;
    }
    head = Trim(head.substr(std::min(at + 1, head.size())));
  }
  return head;
}

// The `)` that closes the parameter list, seen from the end: only qualifiers, a trailing return
// type or a requires clause may follow it.
bool EndsLikeParameters(std::string_view head) {
  const std::size_t close = head.rfind(')');
  if (close == std::string_view::npos) return false;
  return std::all_of(head.begin() + static_cast<std::ptrdiff_t>(close) + 1, head.end(), [](char c) {
    return IsWordChar(c) || IsSpace(c) ||
           std::string_view(":<>,&*->|").find(c) != std::string::npos;
  });
}

// Whether `head` has the colon of `Foo(int x) : a_(x), b_{x}`, and with it member initialisers.
bool HasMemberInitialisers(std::string_view head) {
  for (std::size_t at = head.find(':'); at != head.npos; at = head.find(':', at + 1)) {
    if (head.substr(at).starts_with("::")) {
      ++at;
      continue;
    }
    const std::string_view before = Trim(head.substr(0, at));
    if (before.ends_with(')') || before.ends_with("noexcept")) return true;
  }
  return false;
}

enum class Brace { kScope, kFunction, kMemberInitialiser, kOther };

Brace Classify(std::string_view untrimmed) {
  constexpr std::array<std::string_view, 6> kScopes = {"namespace", "class",  "struct",
                                                       "union",     "extern", "inline namespace"};
  const std::string_view head = SkipTemplates(Trim(untrimmed));
  for (std::string_view scope : kScopes) {
    if (head.starts_with(scope) && !IsWordChar((std::string(head) + " ")[scope.size()])) {
      return Brace::kScope;
    }
  }
  if (FirstWord(head) == "enum") return Brace::kOther;
  if (HasMemberInitialisers(head)) {
    const bool member = IsWordChar(head.back()) || head.back() == '>';  // its braces come next
    return member ? Brace::kMemberInitialiser : Brace::kFunction;
  }
  return EndsLikeParameters(head) ? Brace::kFunction : Brace::kOther;
}

// Whether the colon after `text` ends an access specifier.
bool EndsWithAccess(std::string_view text) {
  return text.ends_with("public") || text.ends_with("protected") || text.ends_with("private");
}

// Position of the brace that closes the one at `open`.
std::size_t MatchingBrace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at;
  }
  return text.size();
}

// "prequel::wire::" of the head of a namespace; kAnonymous of one without a name; "" of a class.
std::string NamespaceOf(std::string_view head) {
  if (FirstWord(head) == "inline") head = Trim(head.substr(6));
  if (FirstWord(head) != "namespace") return "";
  const std::string_view name = Trim(head.substr(9));
  return (name.empty() ? std::string(kAnonymous) : std::string(name)) + "::";
}

std::string Joined(const std::vector<std::string>& scopes) {
  std::string joined;
  for (const std::string& scope : scopes) joined += scope;
  return joined;
}

}  // namespace

std::vector<Function> FindFunctions(std::string_view cpp) {
  std::string text = BlankCommentsAndLiterals(cpp);
  BlankDirectives(&text);
  const auto line_of = [&text](std::size_t at) {
    return 1 + static_cast<int>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  std::vector<Function> functions;
  std::vector<std::string> scopes;
  std::size_t head = 0;  // where the text before the next brace begins
  int parentheses = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    const bool access = c == ':' && EndsWithAccess(std::string_view(text).substr(0, at));
    if (c == '}' || access || (c == ';' && parentheses == 0)) head = at + 1;
    if (c == '}' && !scopes.empty()) scopes.pop_back();  // others are passed over whole
    if (c != '{') continue;
    const Brace brace = parentheses > 0
                            ? Brace::kMemberInitialiser  // a default argument, `f(A a = {})`
                            : Classify(std::string_view(text).substr(head, at - head));
    if (brace == Brace::kScope) {
      scopes.push_back(NamespaceOf(Trim(std::string_view(text).substr(head, at - head))));
      head = at + 1;
      continue;
    }
    const std::size_t close = MatchingBrace(text, at);
    if (brace == Brace::kFunction) {
      const std::size_t first = text.find_first_not_of(" \n", head);
      functions.push_back({line_of(first), line_of(std::min(close, text.size())),
                           text.substr(first, at - first), Joined(scopes)});
    }
    if (brace != Brace::kMemberInitialiser) head = close + 1;
    at = close;
  }
  return functions;
}

}  // namespace prequel::style
