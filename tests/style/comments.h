#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// A comment that stands on lines of its own begins with its subject: none of the product begins
// with Of, The same, As, They, Those or That one, which send the reader elsewhere to look for it.
std::vector<Finding> CheckComments(const SourceFile& file);

}  // namespace prequel::style
