#include "tests/style/comments.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

constexpr auto kFragments =
    std::to_array<std::string_view>({"Of", "The same", "As", "They", "Those", "That one"});

// The text of a line that is a comment and nothing else; empty of any other line.
std::string_view CommentOf(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == line.npos || !line.substr(at).starts_with("//")) return {};
  const std::size_t text = line.find_first_not_of("/ ", at);
  return text == line.npos ? "//" : line.substr(text);
}

bool BeginsWith(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return false;
  return text.size() == words.size() || !IsWordChar(text[words.size()]);
}

}  // namespace

std::vector<Finding> CheckComments(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!IsCpp(file.path)) return findings;
  bool inside = false;  // a comment that has begun on a line before
  int number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    const std::string_view comment = CommentOf(line);
    const auto* const fragment =
        std::find_if(kFragments.begin(), kFragments.end(),
                     [comment](std::string_view words) { return BeginsWith(comment, words); });
    if (!inside && fragment != kFragments.end()) {
      findings.push_back({file.path, number,
                          "begins with \"" + std::string(*fragment) +
                              "\": name the subject of the comment in its first clause"});
    }
    inside = !comment.empty();
  }
  return findings;
}

}  // namespace prequel::style
