// How long the records of a model really take, so that others need not wait for the long ones.
#pragma once

#include <algorithm>

#include "server/engine/work.h"

namespace prequel {

// Estimates are off by a factor, which differs from model to model: Heaviness measures it for one.
// One thread at a time.
class Heaviness {
 public:
  // Whether a record takes too long for others to wait for it, when it is estimated to take
  // `estimate` seconds.
  bool IsHeavy(double estimate) const { return factor_ * estimate > kLongSeconds; }

  // Note is told that a record has taken `seconds` of processor time, where `estimate` was
  // expected. A single record is not believed, for it may have been held up: the factor is what two
  // of the last few have exceeded. Nor does one that ends early, as a failed update does, make the
  // next ones light at once.
  void Note(double estimate, double seconds) {
    if (estimate <= 0) return;
    const double factor = seconds > kMeasurable ? seconds / estimate : 0;
    factor_ = std::max({1.0, std::min(factor, peak_), factor_ / 2});
    peak_ = std::max(factor, peak_ / 2);
  }

 private:
  static constexpr double kMeasurable = 2e-3;  // less is for the most part what is around it
  double factor_ = 1;
  double peak_ = 0;  // of what was measured before, halved with each record since
};

}  // namespace prequel
