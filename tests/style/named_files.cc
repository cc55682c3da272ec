#include "tests/style/named_files.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

constexpr std::string_view kName = "NAME", kBoth = ".{h,cc}";

bool EndsLikeAFile(std::string_view text) {
  for (const std::string_view ending : {".h", ".cc", ".py", ".proto", ".md", ".cmake", ".sh"}) {
    if (text.ends_with(ending)) return true;
  }
  return text.ends_with(kBoth);
}

// Names of files have no other characters, whatever else stands in `code`.
bool IsPath(std::string_view text) {
  return !text.starts_with('.') && EndsLikeAFile(text) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsWordChar(c) || c == '.' || c == '/' || c == '-' || c == '{' || c == '}' ||
                  c == ',';
         });
}

// Whether `path` is `pattern` with something in the place of each NAME.
bool Matches(std::string_view pattern, std::string_view path) {
  const std::size_t name = pattern.find(kName);
  if (name == pattern.npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, name))) return false;
  const std::string_view rest = pattern.substr(name + kName.size());
  for (std::size_t i = name; i <= path.size(); ++i) {
    if (Matches(rest, path.substr(i))) return true;
    if (i < path.size() && path[i] == '/') return false;
  }
  return false;
}

// The paths of all files, and what is left of each without its first folders.
std::set<std::string_view> Suffixes(const std::vector<SourceFile>& tree) {
  std::set<std::string_view> suffixes;
  for (const SourceFile& file : tree) {
    std::string_view rest = file.path;
    suffixes.insert(rest);
    for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
      rest.remove_prefix(slash + 1);
      suffixes.insert(rest);
    }
  }
  return suffixes;
}

bool IsThere(std::string_view path, const std::set<std::string_view>& suffixes) {
  if (path.ends_with(kBoth)) {
    const std::string stem(path.substr(0, path.size() - kBoth.size()));
    return IsThere(stem + ".h", suffixes) && IsThere(stem + ".cc", suffixes);
  }
  if (path.find(kName) == path.npos) return suffixes.contains(path);
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [path](std::string_view file) { return Matches(path, file); });
}

// What stands between pairs of backquotes in `line`.
std::vector<std::string_view> CodeIn(std::string_view line) {
  std::vector<std::string_view> code;
  for (std::size_t open = line.find('`'); open != line.npos; open = line.find('`')) {
    const std::size_t close = line.find('`', open + 1);
    if (close == line.npos) break;
    code.push_back(line.substr(open + 1, close - open - 1));
    line.remove_prefix(close + 1);
  }
  return code;
}

}  // namespace

std::vector<Finding> CheckNamedFiles(const std::vector<SourceFile>& tree) {
  std::vector<Finding> findings;
  const std::set<std::string_view> suffixes = Suffixes(tree);
  for (const SourceFile& file : tree) {
    if (Extension(file.path) != ".md") continue;
    int number = 0;
    for (const std::string_view line : Lines(file.text)) {
      ++number;
      for (const std::string_view code : CodeIn(line)) {
        if (!IsPath(code) || IsThere(code, suffixes)) continue;
        findings.push_back(
            {file.path, number, "names a file that is not there: " + std::string(code)});
      }
    }
  }
  return findings;
}

}  // namespace prequel::style
