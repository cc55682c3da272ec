// Whether numbers are as uniform on [0, 1] as a sample is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace prequel::accept {

// Kolmogorov–Smirnov's √n sup |F_n(u) − u|: above 1.63 in 1 % of uniform samples.
inline double DistanceFromUniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    most = std::max({most, values[i] - rank / n, (rank + 1) / n - values[i]});
  }
  return std::sqrt(n) * most;
}

}  // namespace prequel::accept
