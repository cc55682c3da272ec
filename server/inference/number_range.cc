#include "server/inference/number_range.h"

#include <cstdint>
#include <limits>

namespace prequel {

std::optional<NumberRange> RangeOf(std::string_view datatype) {
  const auto whole = []<class T>(T) {
    return NumberRange{static_cast<double>(std::numeric_limits<T>::min()),
                       static_cast<double>(std::numeric_limits<T>::max())};
  };
  constexpr double kFloat = std::numeric_limits<float>::max();
  constexpr double kDouble = std::numeric_limits<double>::max();
  if (datatype == "FP64") return NumberRange{-kDouble, kDouble, false};
  if (datatype == "FP32") return NumberRange{-kFloat, kFloat, false};
  if (datatype == "INT64") return whole(std::int64_t());
  if (datatype == "INT32") return whole(std::int32_t());
  if (datatype == "INT16") return whole(std::int16_t());
  if (datatype == "INT8") return whole(std::int8_t());
  if (datatype == "UINT64") return whole(std::uint64_t());
  if (datatype == "UINT32") return whole(std::uint32_t());
  if (datatype == "UINT16") return whole(std::uint16_t());
  if (datatype == "UINT8") return whole(std::uint8_t());
  if (datatype == "BOOL") return NumberRange{0, 1};
  return std::nullopt;
}

}  // namespace prequel
