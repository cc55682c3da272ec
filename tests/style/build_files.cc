#include "tests/style/build_files.h"

#include <regex>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

// "" or what ends in '/'.
std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::string Escaped(const std::string& text) {
  return std::regex_replace(text, std::regex(R"([.+])"), R"(\$&)");
}

// "*_test.cc" or "${name}_fuzzer.cc", as a list in `folder` says it, for paths from the root.
std::regex PatternOf(std::string folder, std::string name) {
  const std::string here = "${CMAKE_CURRENT_SOURCE_DIR}/", root = "${PROJECT_SOURCE_DIR}/";
  if (name.starts_with(here)) name.erase(0, here.size());
  if (name.starts_with(root)) {
    name.erase(0, root.size());
    folder.clear();
  }
  name = std::regex_replace(name, std::regex(R"(\$\{\w+\})"), "*");
  return std::regex(Escaped(folder) + std::regex_replace(Escaped(name), std::regex(R"(\*)"), ".*"));
}

// Adds what `list` names that ends in .cc.
void AddSources(const SourceFile& list, std::vector<std::regex>* sources) {
  static const std::regex kName(R"([^\s"();]+\.cc(?=[\s"();]|$))");
  const std::string folder = FolderOf(list.path);
  for (std::sregex_iterator it(list.text.begin(), list.text.end(), kName), end; it != end; ++it) {
    sources->push_back(PatternOf(folder, it->str()));
  }
}

bool Matches(const std::string& path, const std::vector<std::regex>& sources) {
  for (const std::regex& source : sources) {
    if (std::regex_match(path, source)) return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> CheckCompiled(const std::vector<SourceFile>& tree) {
  std::vector<std::regex> sources;
  for (const SourceFile& file : tree) {
    const bool list = file.path.ends_with("CMakeLists.txt") || Extension(file.path) == ".cmake";
    if (list) AddSources(file, &sources);
  }
  std::vector<Finding> findings;
  for (const SourceFile& file : tree) {
    if (Extension(file.path) == ".cc" && !Matches(file.path, sources)) {
      findings.push_back({file.path, 0, "is in no CMakeLists.txt, so not compiled"});
    }
  }
  return findings;
}

}  // namespace prequel::style
