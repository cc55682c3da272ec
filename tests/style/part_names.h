#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// What a part must say it says itself, in its concept: outside the room of its set nobody asks
// whether it is there by its class (`std::get<Adam>`, `holds_alternative<Adam>`, `Adam::kName`).
// Parts are the classes of core's sets that have a kName.
std::vector<Finding> CheckPartNames(const std::vector<SourceFile>& tree);

}  // namespace prequel::style
