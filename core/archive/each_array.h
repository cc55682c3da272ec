// The arrays of a posterior or of a rule's state, whichever they are.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// EachArray is an archive that hands each Vector and Matrix to `see`, and passes over all else.
template <class See>
class EachArray {
 public:
  static constexpr bool kReading = false;

  explicit EachArray(const See& see) : see_(see) {}

  void Value(std::string_view, std::integral auto) {}
  void Value(std::string_view, const Vector& values) { see_(values); }
  void Value(std::string_view, const Matrix& values) { see_(values); }
  void LowerTriangle(std::string_view, const Matrix& values) { see_(values); }
  template <class T>
  requires std::is_class_v<T>
  void Value(std::string_view, const T& part) { T::Fields(*this, part); }
  template <class T>
  void Value(std::string_view name, const std::vector<T>& parts) {
    for (const T& part : parts) Value(name, part);
  }

 private:
  const See& see_;
};

template <class Part, class See>
void ForEachArray(const Part& part, const See& see) {
  EachArray<See> arrays(see);
  Part::Fields(arrays, part);
}

}  // namespace prequel
