#include "core/predictive/query_names.h"

#include <variant>

#include "core/predictive/queries/query.h"

namespace prequel {

std::vector<std::string> QueryNames(const Asked& asked, bool by_default) {
  return [&]<class... Qs>(const std::variant<Qs...>*) {
    std::vector<std::string> names;
    const auto add = [&]<class Q>(const Q*) {
      if (Q::IsOf(asked) && (Q::kByDefault || !by_default)) names.emplace_back(Q::kName);
    };
    (add(static_cast<const Qs*>(nullptr)), ...);
    return names;
  }(static_cast<const Query*>(nullptr));
}

}  // namespace prequel
