#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// The rooms of core stand on floors: a file includes headers of its own room and of rooms on lower
// floors, and nothing else of core. So no two rooms include each other, by whatever way round.
std::vector<Finding> CheckFloors(const SourceFile& file);

}  // namespace prequel::style
