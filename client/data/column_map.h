// The cells of a CSV record that feed each column of a batch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace prequel::client {

// The positions in `header` of the columns of something called `name` that is `width` wide.
//
// Width 1: the column `name`. Width W > 1: the columns `name0` … `name{W-1}`, or, when there is
// no `name0`, `name1` … `nameW`; where `name` is W names that commas separate, those. Columns are
// found by name, so their order does not matter. INVALID_ARGUMENT for a column that is not there,
// suggesting the nearest name.
absl::StatusOr<std::vector<std::size_t>> FindColumns(const std::vector<std::string>& header,
                                                     const std::string& name, std::size_t width);

}  // namespace prequel::client
