#include "tests/style/core_floors.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace prequel::style {
namespace {

constexpr std::string_view kCore = "core/";

// From the ground up. A new room goes on the lowest floor that is above all that it includes.
const std::vector<std::vector<std::string_view>>& Floors() {
  static const std::vector<std::vector<std::string_view>> kFloors = {
      {"linalg"},
      {"archive", "random"},
      {"config", "distributions"},
      {"calibration", "encoding", "likelihoods", "models", "robustness"},
      {"expansion", "predictive"},
      {"posteriors", "scores"},
      {"dynamics", "rules", "skill"},
      {"change", "parts"},
      {"learner"}};
  return kFloors;
}

// "rules" of "core/rules/adam.h"; empty of what stands in no room of core.
std::string_view RoomOf(std::string_view path) {
  if (!path.starts_with(kCore)) return {};
  path.remove_prefix(kCore.size());
  const std::size_t end = path.find('/');
  return end == path.npos ? std::string_view() : path.substr(0, end);
}

std::optional<std::size_t> FloorOf(std::string_view room) {
  for (std::size_t floor = 0; floor < Floors().size(); ++floor) {
    for (const std::string_view each : Floors()[floor]) {
      if (each == room) return floor;
    }
  }
  return std::nullopt;
}

// The header that a line includes in quotes; empty of any other line.
std::string_view IncludedHeader(std::string_view line) {
  constexpr std::string_view kInclude = "#include \"";
  if (!line.starts_with(kInclude)) return {};
  line.remove_prefix(kInclude.size());
  return line.substr(0, line.find('"'));
}

}  // namespace

std::vector<Finding> CheckFloors(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::string_view room = RoomOf(file.path);
  if (room.empty() || !IsCpp(file.path)) return findings;
  const std::optional<std::size_t> floor = FloorOf(room);
  if (!floor) {
    return {{file.path, 0, "stands in a room without a floor: give it one in core_floors.cc"}};
  }
  int number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    const std::string_view other = RoomOf(IncludedHeader(line));
    if (other.empty() || other == room) continue;
    if (const std::optional<std::size_t> below = FloorOf(other); below && *below < *floor) continue;
    findings.push_back({file.path, number,
                        "includes a header of " + std::string(other) +
                            ", which does not stand on a floor below " + std::string(room)});
  }
  return findings;
}

}  // namespace prequel::style
