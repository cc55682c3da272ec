// Reference posteriors, as files of numbers.
#pragma once

#include <string>

#include "core/linalg/types.h"

namespace prequel::accept {

// A CSV of numbers with or without a header, row by row. Exits when it cannot be read.
Matrix ReadNumbers(const std::string& path, Index rows, Index cols);

// The reference files list the bias first; our θ ends with it. Rows only.
Matrix BiasLast(const Matrix& reference);

}  // namespace prequel::accept
