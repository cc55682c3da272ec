#include "tests/style/text_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

// Split so that this file keeps the rule itself.
constexpr std::array<std::string_view, 3> kNotesToSelf = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "X"
    "XX"};

constexpr std::array<std::string_view, 7> kDrawers = {"util",    "utils", "common", "helper",
                                                      "helpers", "misc",  "manager"};

int Columns(std::string_view line) {
  return static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not a UTF-8 continuation byte
  }));
}

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether `word` stands in `text` as a word of its own.
bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsWordChar(text[at - 1])) && (end == text.size() || !IsWordChar(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Finding> CheckLengths(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!IsCode(file.path)) return findings;
  const std::vector<std::string_view> lines = Lines(file.text);
  if (lines.size() > kMaxFileLines) {
    findings.push_back({file.path, 0,
                        "has " + std::to_string(lines.size()) + " lines, the limit is " +
                            std::to_string(kMaxFileLines) + ": a file is one noun, split it"});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (Columns(lines[i]) <= kMaxColumns) continue;
    findings.push_back({file.path, static_cast<int>(i) + 1,
                        "has " + std::to_string(Columns(lines[i])) + " columns, the limit is " +
                            std::to_string(kMaxColumns)});
  }
  return findings;
}

std::vector<Finding> CheckPages(const SourceFile& file) {
  if (file.path != "README.md" && !file.path.ends_with("/README.md")) return {};
  const std::size_t lines = Lines(file.text).size();
  if (lines <= kMaxReadmeLines) return {};
  return {{file.path, 0,
           "has " + std::to_string(lines) + " lines, the limit is " +
               std::to_string(kMaxReadmeLines) + ": a page has one subject, split it"}};
}

std::vector<Finding> CheckNames(const SourceFile& file) {
  std::vector<Finding> findings;
  for (std::string_view drawer : kDrawers) {
    if (!HasWord(file.path, drawer)) continue;
    findings.push_back({file.path, 0,
                        "is named `" + std::string(drawer) +
                            "`, a drawer for anything: name it after the one thing it holds"});
  }
  return findings;
}

std::vector<Finding> CheckText(const SourceFile& file) {
  std::vector<Finding> findings;
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    ++number;
    if (line.find('\t') != line.npos) {
      findings.push_back({file.path, number, "has a tab: indent with spaces"});
    }
    if (IsCode(file.path) && line.ends_with(' ')) {
      findings.push_back({file.path, number, "ends with a space: remove it"});
    }
    for (std::string_view note : kNotesToSelf) {
      if (!HasWord(line, note)) continue;
      findings.push_back({file.path, number,
                          "has a " + std::string(note) + ": do it now or say what is the case"});
    }
  }
  if (!file.text.empty() && !file.text.ends_with('\n')) {
    findings.push_back({file.path, number, "does not end with a newline: add one"});
  }
  return findings;
}

std::vector<Finding> CheckPragmaOnce(const SourceFile& file) {
  if (!file.path.ends_with(".h")) return {};
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    ++number;
    if (line.empty() || line.starts_with("//")) continue;
    if (line == "#pragma once") return {};
    break;
  }
  return {{file.path, number, "the first line of a header is `#pragma once`"}};
}

}  // namespace prequel::style
