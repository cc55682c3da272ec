#include "client/cli/config/name_list.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "client/cli/session.h"

namespace prequel::cli {

absl::StatusOr<std::vector<std::string>> NameList(std::string_view flag, std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  names.emplace_back();
  bool quoted = false, fresh = true;  // fresh: at the beginning of a name
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      names.back() += text[i++];
    } else if (c == '"' && (quoted || fresh)) {
      quoted = !quoted;
      fresh = false;
    } else if (c == ',' && !quoted) {
      names.emplace_back();
      fresh = true;
    } else {
      names.back() += c;
      fresh = false;
    }
  }
  if (!quoted) return names;
  return UsageError(absl::StrCat(std::string(flag), " ", std::string(text),
                                 ": the quotation mark is not closed"));
}

}  // namespace prequel::cli
