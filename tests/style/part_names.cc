#include "tests/style/part_names.h"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

constexpr auto kSets = std::to_array<std::string_view>(
    {"core/calibration/", "core/dynamics/", "core/likelihoods/", "core/models/", "core/posteriors/",
     "core/predictive/queries/", "core/robustness/", "core/rules/"});

constexpr auto kQuestions = std::to_array<std::string_view>(
    {"holds_alternative<", "get_if<", "std::get<", "same_as<", "is_same_v<"});

std::string_view SetOf(std::string_view path) {
  for (const std::string_view set : kSets) {
    if (path.starts_with(set)) return set;
  }
  return {};
}

std::string_view WordAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  return text.substr(at, end - at);
}

// The class or struct that a line begins to define; empty of any other line.
std::string_view DefinedBy(std::string_view line) {
  for (const std::string_view keyword : {"class ", "struct "}) {
    if (line.starts_with(keyword)) return WordAt(line, keyword.size());
  }
  return {};
}

// The parts of a header of a set, and the room of each.
void AddParts(const SourceFile& file, std::map<std::string, std::string_view>& rooms) {
  const std::string_view set = SetOf(file.path);
  if (set.empty() || !file.path.ends_with(".h")) return;
  std::string_view defined;
  for (const std::string_view line : Lines(file.text)) {
    if (const std::string_view word = DefinedBy(line); !word.empty()) defined = word;
    if (line.find(" kName = \"") != line.npos && !defined.empty()) {
      rooms.emplace(std::string(defined), set);
    }
  }
}

// The class that is asked for at `at`, if it is asked for there.
std::string_view AskedAt(std::string_view line, std::size_t at) {
  for (const std::string_view question : kQuestions) {
    if (!line.substr(at).starts_with(question)) continue;
    std::size_t name = at + question.size();
    const std::size_t end = line.find('>', name);
    // The last of several is the part: same_as<Q, Adam>.
    if (end != line.npos) {
      const std::size_t comma = line.substr(0, end).rfind(", ");
      if (comma != line.npos && comma > name) name = comma + 2;
    }
    return WordAt(line, name);
  }
  const std::string_view word = WordAt(line, at);
  const bool begins = at == 0 || !IsWordChar(line[at - 1]);
  return begins && line.substr(at + word.size()).starts_with("::kName") ? word : std::string_view();
}

}  // namespace

std::vector<Finding> CheckPartNames(const std::vector<SourceFile>& tree) {
  std::map<std::string, std::string_view> rooms;
  for (const SourceFile& file : tree) AddParts(file, rooms);
  std::vector<Finding> findings;
  for (const SourceFile& file : tree) {
    if (!IsCpp(file.path)) continue;
    const std::string code = BlankCommentsAndLiterals(file.text);
    int number = 0;
    for (const std::string_view line : Lines(code)) {
      ++number;
      for (std::size_t at = 0; at < line.size(); ++at) {
        const auto part = rooms.find(std::string(AskedAt(line, at)));
        if (part == rooms.end() || file.path.starts_with(part->second)) continue;
        findings.push_back({file.path, number,
                            "asks for " + part->first +
                                " by name: let the parts of its set say what you want to know"});
      }
    }
  }
  return findings;
}

}  // namespace prequel::style
