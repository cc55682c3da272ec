// Whether whole numbers look like counts: of events, things, people.
#pragma once

#include <cstdint>

namespace prequel::client {

// The first three moments of what was seen, updated number by number (Welford; Terriberry).
class CountEvidence {
 public:
  void See(double value);

  // Overdispersed says whether the numbers look like counts that vary more than Poisson's.
  // REQUIRES: every number that was seen is whole. With mean m, deviation s and skewness g of n
  // numbers:
  //   0 ≤ least, 0 < greatest ≤ 10,000   larger ones are as well learned as values
  //   n ≥ 50                             fewer do not tell
  //   s²/m > 1 + 4 √(2/(n − 1))          of Poisson counts (n − 1) s²/m is chi-squared with n − 1
  //                                      degrees of freedom: 4 deviations. Years vary less
  //   g ≥ ½ s/m                          Poisson's is s/m, negative binomials' up to twice that;
  //                                      numbers that name things (1 … n), ratings and percentages
  //                                      have none, or one to the left
  //   m − least ≥ 2 s or least ≤ m/10    counts come near 0, unless they all keep near m; what has
  //                                      a bound elsewhere, as the age of adults, does not
  //   no common divisor but 1            prices in hundreds and times in quarters have another
  bool Overdispersed() const;

  double mean() const { return mean_; }
  double variance() const;  // REQUIRES: two were seen

 private:
  std::int64_t n_ = 0;
  double mean_ = 0, m2_ = 0, m3_ = 0;  // Σ(x − mean)ᵏ
  double least_ = 0, greatest_ = 0;
  std::int64_t divisor_ = 0;  // the greatest of all, while they are within range
};

}  // namespace prequel::client
