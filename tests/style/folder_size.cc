#include "tests/style/folder_size.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace prequel::style {
namespace {

bool IsOfAHouse(std::string_view path) {
  constexpr std::array<std::string_view, 3> kHouses = {"core/", "server/", "client/"};
  return std::any_of(kHouses.begin(), kHouses.end(),
                     [path](std::string_view house) { return path.starts_with(house); });
}

}  // namespace

const std::vector<std::string_view>& SetsOfAlternatives() {
  static const std::vector<std::string_view> kSets = {
      "core/dynamics/",           "core/likelihoods/", "core/posteriors/",
      "core/predictive/queries/", "core/rules/",
  };
  return kSets;
}

std::vector<Finding> CheckFolderSizes(const std::vector<SourceFile>& tree,
                                      const std::vector<std::string_view>& sets) {
  std::map<std::string, int> sizes;
  for (const SourceFile& file : tree) {
    if (!IsCpp(file.path) || !IsOfAHouse(file.path)) continue;
    ++sizes[file.path.substr(0, file.path.rfind('/') + 1)];
  }
  std::vector<Finding> findings;
  for (const auto& [folder, size] : sizes) {
    if (size <= kMaxFolderFiles) continue;
    if (std::find(sets.begin(), sets.end(), folder) != sets.end()) continue;
    findings.push_back({folder, 0,
                        "has " + std::to_string(size) + " files, the limit is " +
                            std::to_string(kMaxFolderFiles) +
                            ": a folder is a room, find the rooms in it"});
  }
  return findings;
}

}  // namespace prequel::style
