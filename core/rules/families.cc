#include "core/rules/families.h"

#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {

Families FamiliesOf(const Rule& rule) {
  return std::visit(
      []<class R>(const R&) {
        return []<class... Qs>(const std::variant<Qs...>*) {
          Families families;
          const auto add = [&](std::string_view name) {
            if (families.first.empty()) families.first = std::string(name);
            families.all += (families.all.empty() ? "\"" : " or \"") + std::string(name) + "\"";
          };
          ((Updates<R, Qs> ? add(Qs::kName) : void()), ...);
          return families;
        }(static_cast<const Posterior*>(nullptr));
      },
      rule);
}

absl::Status CheckFamily(const Rule& rule, const Posterior& posterior) {
  return std::visit(
      [&]<class R, class Q>(const R&, const Q&) -> absl::Status {
        if constexpr (Updates<R, Q>) return absl::OkStatus();
        return FieldError(
            "config.rule",
            absl::StrCat("is \"", std::string(R::kName), "\", which ", std::string(R::kHolds),
                         " and cannot update posterior \"", std::string(Q::kName),
                         "\": use posterior ", FamiliesOf(rule).all, " or another rule"));
      },
      rule, posterior);
}

}  // namespace prequel
