// Scores of what was predicted, once the targets are known.
#pragma once

#include "core/predictive/predictive.h"
#include "core/scores/tally.h"

namespace prequel {

// Adds one classified example: `probabilities` sum to 1 and `label` is its class; log_probability
// is log probabilities[label], computed without cancellation.
void AddClassified(ConstVectorRef probabilities, Index label, double log_probability, Tally& tally);

// Sums over the examples of the predictive, whose targets are the columns of `targets`, T × B:
// values in their units, or indices of classes.
Tally ScoreExamples(Predictive& predictive, const Matrix& targets);

}  // namespace prequel
