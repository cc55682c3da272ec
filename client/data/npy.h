// NumPy's array files.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "prequel/v1/tensor.pb.h"

namespace prequel::client {

// What every .npy file begins with.
inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

// TensorFromNpy reads the array in a .npy file (format version 1 to 3), row major whichever order
// the file has: of one or two dimensions, of little-endian float32 or float64. INVALID_ARGUMENT
// says what else the file holds, DATA_LOSS that it is damaged or cut short. No length is believed
// that the bytes do not bear out.
absl::StatusOr<v1::Tensor> TensorFromNpy(std::string_view bytes);

}  // namespace prequel::client
