#include "tests/style/source_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

namespace prequel::style {
namespace {

namespace fs = std::filesystem;

// Contracts written elsewhere, kept as their authors wrote them.
constexpr std::array<std::string_view, 2> kThirdParty = {"proto/google/", "proto/inference/"};

bool IsSkippedFolder(const std::string& name) {
  return name.front() == '.' || name == "build" || name == "__pycache__";
}

bool IsThirdParty(std::string_view path) {
  return std::any_of(kThirdParty.begin(), kThirdParty.end(),
                     [path](std::string_view prefix) { return path.starts_with(prefix); });
}

bool IsText(std::string_view path) {
  constexpr std::array<std::string_view, 5> kDocuments = {".md", ".json", ".yaml", ".yml", ".txt"};
  return IsCode(path) ||
         std::find(kDocuments.begin(), kDocuments.end(), Extension(path)) != kDocuments.end();
}

// Length of the literal or comment at `text[at]`, or 0 when none starts there.
std::size_t RawStringLength(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("R\"") || (at > 0 && IsWordChar(text[at - 1]))) return 0;
  const std::size_t open = text.find('(', at);
  if (open == std::string_view::npos) return 0;
  const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() - at : end + close.size() - at;
}

std::size_t QuotedLength(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote != '"' && quote != '\'') return 0;
  // 1'000'000 and 0x1p-3: a quote between word characters separates digits.
  if (quote == '\'' && at > 0 && IsWordChar(text[at - 1])) return 0;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size()) - at;
}

std::size_t CommentLength(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(rest.find('\n'), rest.size());
  if (!rest.starts_with("/*")) return 0;
  const std::size_t end = rest.find("*/", 2);
  return end == std::string_view::npos ? rest.size() : end + 2;
}

}  // namespace

std::string Describe(const Finding& finding) {
  std::string where = finding.path;
  if (finding.line > 0) where += ":" + std::to_string(finding.line);
  return where + ": " + finding.message;
}

std::vector<SourceFile> ReadTree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && IsSkippedFolder(name)) entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    std::string path = fs::relative(entry->path(), root).generic_string();
    if (IsThirdParty(path) || !IsText(path)) continue;
    std::ifstream in(entry->path(), std::ios::binary);
    files.push_back({std::move(path), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view Extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 == 0
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool IsCpp(std::string_view path) { return path.ends_with(".h") || path.ends_with(".cc"); }

bool IsCode(std::string_view path) {
  constexpr std::array<std::string_view, 4> kOther = {".proto", ".py", ".sh", ".cmake"};
  return IsCpp(path) || path == "dev" || path == "Dockerfile" || path.ends_with("CMakeLists.txt") ||
         std::find(kOther.begin(), kOther.end(), Extension(path)) != kOther.end();
}

std::string BlankCommentsAndLiterals(std::string_view cpp) {
  std::string blank(cpp);
  for (std::size_t at = 0; at < cpp.size();) {
    std::size_t length = CommentLength(cpp, at);
    if (length == 0) length = RawStringLength(cpp, at);
    if (length == 0) length = QuotedLength(cpp, at);
    for (std::size_t i = at; i < at + length; ++i) {
      if (blank[i] != '\n') blank[i] = ' ';
    }
    at += std::max<std::size_t>(length, 1);
  }
  return blank;
}

}  // namespace prequel::style
