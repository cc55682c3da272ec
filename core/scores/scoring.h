// Scores of what was predicted, once the targets are known.
#pragma once

#include <vector>

#include "core/calibration/intervals.h"
#include "core/predictive/predictive.h"
#include "core/scores/evaluation.h"
#include "core/scores/tally.h"

namespace prequel {

// AddClassified adds one classified example: `probabilities` sum to 1 and `label` is its class;
// log_probability is log probabilities[label], computed without cancellation.
void AddClassified(ConstVectorRef probabilities, Index label, double log_probability, Tally& tally);

// ScoreExamples adds to `judgement` the scores of the predictive as it is served, and of it raw
// where it calibrates, for examples whose targets are the columns of `targets`, T × B: values in
// their units, or indices of classes. Each counts as often as `weights` says (B; empty: once).
// Where it calibrates values, `positions` becomes what LearnIntervals asks for; else it is left
// alone.
void ScoreExamples(Predictive& predictive, const Matrix& targets, const Vector& weights,
                   std::vector<Position>& positions, Matrix& errors, Judgement& judgement);

// ScoreFirstBelief adds to `tally` the scores of the first belief alone, raw: of values those of a
// point, which are cheap.
void ScoreFirstBelief(Predictive& predictive, const Matrix& targets, const Vector& weights,
                      Tally& tally);

}  // namespace prequel
