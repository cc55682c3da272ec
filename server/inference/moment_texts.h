// Dates and times that a tensor writes as text.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "client/data/moment.h"
#include "server/inference/infer_tensor.h"

namespace prequel {

// Reads texts as the command line reads the cells of a CSV file, so that a date is the same numbers
// whoever sends it. REQUIRES of both: tensor.header->datatype() is "BYTES". INVALID_ARGUMENT unless
// its shape is [rows] or [rows, 1], and for a text that cannot be read, whose row it names.

// Moments of one form: client::MomentWidth numbers for each row, NaN for a text that is no value.
absl::StatusOr<std::vector<double>> ReadMoments(const InputTensor& tensor,
                                                const client::MomentForm& form, Index max_rows);

// Times, the year first, as seconds since 1970, one for each row. A text that is a number is that.
absl::StatusOr<std::vector<double>> ReadTimes(const InputTensor& tensor, Index max_rows);

}  // namespace prequel
