// What the measurements of durability share: a stopwatch, quantiles, and words about them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace prequel::accept {

inline double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double Quantile(std::vector<double> values, double level) {
  const auto at = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// printf for numbers.
inline std::string Text(const char* format, const std::array<double, 5>& numbers) {
  char text[256];
  std::snprintf(text, sizeof(text), format, numbers[0], numbers[1], numbers[2], numbers[3],
                numbers[4]);
  return text;
}

}  // namespace prequel::accept
