// How much memory a model takes: an estimate, known before anything is made.
#pragma once

namespace prequel {

struct Problem;  // core/learner/problem.h

// Footprint is in bytes. A model holds its configuration made ready, `made`, and some states, each
// of `state`. While it learns or is asked it works with `scratch`, which models share one after the
// other. `state` and `made` are right within a factor of 1.5 where models are large (100 KB);
// `scratch`, which is of minibatches of up to 64 rows, within a factor of 3.
struct Footprint {
  double state = 0;
  double made = 0;
  double scratch = 0;
};

// Numbers, of 8 bytes, with D weights, I encoded inputs, of which M are numeric, K beliefs and S
// scales of the prior; a posterior has P numbers and its rule remembers R, half of each in float32:
//   state    K (P + R) + 6 M + 6 min(I, 4096)
//   made     D + S (2 D + P), and the names of columns and imported weights
// REQUIRES: `outline` is of Outline, with its configuration.
Footprint FootprintOf(const Problem& outline);

}  // namespace prequel
