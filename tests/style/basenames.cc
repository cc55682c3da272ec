#include "tests/style/basenames.h"

#include <map>
#include <string>
#include <string_view>

namespace prequel::style {

std::vector<Finding> CheckBasenames(const std::vector<SourceFile>& tree) {
  std::vector<Finding> findings;
  std::map<std::string_view, std::string_view> folders;  // by the name that was seen there first
  for (const SourceFile& file : tree) {
    if (!IsCpp(file.path)) continue;
    const std::string_view path = file.path;
    const std::size_t slash = path.rfind('/') + 1;  // 0 where there is none
    const std::string_view folder = path.substr(0, slash);
    const std::string_view name = path.substr(slash, path.rfind('.') - slash);
    if (name == "main") continue;
    const std::string_view first = folders.try_emplace(name, folder).first->second;
    if (first == folder) continue;
    findings.push_back({file.path, 0,
                        "has the name of a file in " + std::string(first) +
                            ": two rooms that hold different things call them differently"});
  }
  return findings;
}

}  // namespace prequel::style
