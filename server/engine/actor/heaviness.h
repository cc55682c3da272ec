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

  // It has taken `seconds` of processor time. One that was held up once is forgotten after a few;
  // what ends early, as a failed update does, does not make the next ones light at once.
  void Note(double estimate, double seconds) {
    if (estimate <= 0) return;
    factor_ = std::max(1.0, seconds > kMeasurable ? seconds / estimate : factor_ / 2);
  }

 private:
  static constexpr double kMeasurable = 2e-3;  // less is for the most part what is around it
  double factor_ = 1;
};

}  // namespace prequel
