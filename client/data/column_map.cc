#include "client/data/column_map.h"

#include <algorithm>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/data/nearest_name.h"
#include "client/data/quoted.h"

namespace prequel::client {
namespace {

constexpr std::size_t kNamesShown = 12;

absl::Status NoSuchColumn(const std::string& name, const std::vector<std::string>& header) {
  const std::string nearest = NearestName(name, header);
  if (!nearest.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no column ", Quoted(name), "; did you mean ", Quoted(nearest), "?"));
  }
  const std::size_t shown = std::min(header.size(), kNamesShown);
  std::vector<std::string> names;
  names.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(Quoted(header[i]));
  return absl::InvalidArgumentError(absl::StrCat("no column ", Quoted(name), "; the file has ",
                                                 absl::StrJoin(names, ", "),
                                                 shown < header.size() ? ", …" : ""));
}

}  // namespace

absl::StatusOr<std::vector<std::size_t>> FindColumns(const std::vector<std::string>& header,
                                                     const std::string& name, std::size_t width) {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < header.size(); ++i) index.emplace(header[i], i);
  std::vector<std::size_t> columns;
  const std::vector<std::string> listed = absl::StrSplit(name, ',');
  if (width > 1 && listed.size() == width) {
    for (const std::string& column : listed) {
      const auto found = index.find(column);
      if (found == index.end()) return NoSuchColumn(column, header);
      columns.push_back(found->second);
    }
    return columns;
  }
  const bool from_one = width > 1 && !index.contains(absl::StrCat(name, 0));
  for (std::size_t i = 0; i < width; ++i) {
    const std::string column = width == 1 ? name : absl::StrCat(name, from_one ? i + 1 : i);
    const auto found = index.find(column);
    if (found == index.end()) return NoSuchColumn(column, header);
    columns.push_back(found->second);
  }
  return columns;
}

}  // namespace prequel::client
