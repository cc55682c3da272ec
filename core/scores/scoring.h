// Scores of what was predicted, once the targets are known.
#pragma once

#include <vector>

#include "core/predictive/predictive.h"
#include "core/scores/tally.h"

namespace prequel {

// Sums over the examples `of`, whose targets are the columns of `targets`, T × as many: values in
// their units, or indices of classes.
Tally ScoreExamples(Predictive& predictive, const std::vector<Index>& of, const Matrix& targets);

}  // namespace prequel
