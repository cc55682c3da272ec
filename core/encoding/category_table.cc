#include "core/encoding/category_table.h"

#include "absl/strings/str_cat.h"
#include "core/archive/stable_hash.h"
#include "core/config/field_error.h"
#include "core/encoding/spelling.h"

namespace prequel {

std::size_t CategoryTable::Hash::operator()(std::string_view value) const noexcept {
  return StableHash(value);
}

absl::StatusOr<CategoryTable> CategoryTable::FromValues(const std::vector<std::string>& values) {
  CategoryTable table;
  for (const std::string& value : values) {
    if (value.size() > static_cast<std::size_t>(kMaxTextBytes)) {
      return absl::DataLossError(absl::StrCat("value of ", value.size(), " bytes"));
    }
    if (table.Find(value) >= 0) {
      return absl::DataLossError(absl::StrCat("value ", Quoted(value), " twice"));
    }
    table.Append(value);
  }
  return table;
}

Index CategoryTable::Find(std::string_view value) const {
  const auto found = slots_.find(Spelled(value));
  return found == slots_.end() ? -1 : found->second;
}

void CategoryTable::Append(std::string_view value) {
  slots_.emplace(Spelled(value), size());
  values_.emplace_back(value);
}

void AppendNew(const std::vector<std::string>& values, Index capacity, bool skip_empty,
               SharedTable& table) {
  std::shared_ptr<CategoryTable> grown;
  for (const std::string& value : values) {
    const CategoryTable& known = grown ? *grown : *table;
    if ((skip_empty && value.empty()) || known.Find(value) >= 0) continue;
    if (known.size() >= capacity) break;
    if (!grown) grown = std::make_shared<CategoryTable>(*table);
    grown->Append(value);
  }
  if (grown) table = std::move(grown);
}

}  // namespace prequel
