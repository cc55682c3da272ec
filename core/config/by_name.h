// Alternatives by name. An alternative of the variant is thereby registered; its tag on the wire
// and on disk is its kName, never its index.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "core/config/field_error.h"

namespace prequel {

template <class Variant>
std::string KnownNames() {
  return []<class... Ts>(const std::variant<Ts...>*) {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + std::string(Ts::kName)), ...);
    return names;
  }(static_cast<const Variant*>(nullptr));
}

// "poisson" → Poisson{}; an empty name is the first alternative. INVALID_ARGUMENT names `field`.
template <class Variant, std::size_t I = 0>
absl::StatusOr<Variant> MakeByName(std::string_view field, std::string_view name) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return FieldError(field, "no alternative is named \"" + std::string(name) +
                                 "\"; known are: " + KnownNames<Variant>());
  } else {
    using T = std::variant_alternative_t<I, Variant>;
    if (name.empty() || name == T::kName) return Variant(std::in_place_index<I>);
    return MakeByName<Variant, I + 1>(field, name);
  }
}

template <class Variant>
std::string_view NameOf(const Variant& alternative) {
  return std::visit([](const auto& a) { return std::string_view(a.kName); }, alternative);
}

}  // namespace prequel
