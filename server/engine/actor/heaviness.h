// Which records of a model take long.
#pragma once

#include <algorithm>

#include "server/engine/work.h"

namespace prequel {

// Estimates are off by a factor, which differs from model to model: it is measured. One thread at
// a time.
class Heaviness {
 public:
  // Whether a record that is estimated to take so many seconds takes too long for others to wait
  // for it.
  bool IsHeavy(double estimate) const { return factor_ * estimate > kLongSeconds; }

  // It has taken `seconds` of processor time. What one of them takes alone is not believed: it may
  // have been held up. Nor do the next ones become light at once when one ends early, as a failed
  // update does.
  void Note(double estimate, double seconds) {
    if (estimate <= 0) return;
    const double factor = seconds > kMeasurable ? std::max(1.0, seconds / estimate) : 1;
    factor_ = std::max(std::min(factor, last_), factor_ / 2);
    last_ = factor;
  }

 private:
  static constexpr double kMeasurable = 2e-3;  // less is for the most part what is around it
  double factor_ = 1;
  double last_ = 1;  // as the last one was measured
};

}  // namespace prequel
