#include "server/auth/model_pattern.h"

#include <algorithm>
#include <cstddef>

namespace prequel {

bool IsModelPattern(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '*';
         });
}

// Goes back to the last * only: no pattern takes longer than its length times the model's.
bool FitsPattern(std::string_view pattern, std::string_view model) {
  std::size_t p = 0, m = 0, star = pattern.npos, after = 0;
  while (m < model.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = m;
    } else if (p < pattern.size() && pattern[p] == model[m]) {
      ++p, ++m;
    } else if (star != pattern.npos) {
      p = star + 1;
      m = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::string_view WithoutCollection(std::string_view model) {
  constexpr std::string_view kPrefix = "models/";
  if (model.starts_with(kPrefix)) model.remove_prefix(kPrefix.size());
  return model;
}

}  // namespace prequel
