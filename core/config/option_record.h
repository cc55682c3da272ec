// What a component says about itself while it reads its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/learner_config.h"

namespace prequel {

enum class OptionKind { kFlag, kNumber, kWhole, kWord, kNumberOrWord, kNumbers, kTable };

struct OptionSpec {
  std::string name;
  OptionKind kind = OptionKind::kNumber;
  std::string range;               // what is admitted, as errors say it: "a number in [0, 1]"
  std::vector<std::string> words;  // those that are admitted
  std::optional<OptionValue> by_default;  // none: it is needed, or its absence means something
  std::string help;
};

// OptionRecord is filled by one reading of a component's options. Which options are read depends on
// the values that are given: `core/parts/part_list.h` reads often enough to see all of them.
struct OptionRecord {
  std::string help, cost;           // of the component
  std::vector<OptionSpec> options;  // in the order in which they were read
  std::vector<std::string> asked;   // whether they were given
  std::vector<std::string> failed;  // what was wrong, or missing
};

}  // namespace prequel
