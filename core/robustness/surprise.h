// How far the targets of a row are from what was predicted of them before it was learned.
#pragma once

namespace prequel {

// A threshold lies between these, in deviations: below the least, rows that are as predicted would
// be far as a rule; beyond the most, no row is far.
constexpr double kLeastThreshold = 1, kMostThreshold = 1e12;

// Surprise holds squares, in the mean over the outputs: with r = y − E y, the variance S of the
// prediction and the part R of it that is of the noise alone.
struct Surprise {
  double by_noise = 0;       // r²/R
  double by_prediction = 0;  // r²/S
};

}  // namespace prequel
