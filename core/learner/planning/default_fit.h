// The choice of posterior, rule and dynamics where a configuration names none: the best that learn
// fast.
#pragma once

#include <string>

#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// FitShape is what a choice by cost goes by.
struct FitShape {
  Layers layers;              // D weights, in layers of o units with c weights each
  bool linear = false;        // the logits are linear in the weights
  Index curvature_rank = 1;   // R, columns per example
  bool classes = false;       // whether a softmax couples the logits, or a sigmoid bends the one
  bool stands_still = false;  // whether it is said that one belief is all
};

// Estimated flops of one pass of `rvga` over a minibatch of B = 64 rows, with C logits and n = B R:
//   full       2 B C D² for the logits, and min(2n²D + nD², nD² + 8D³/3) for the fit; of a linear
//              model of several logits 4 B D² + 1.5 D³, where that is less (LinearBlock)
//   per_unit   Σ o [2 B c² + min(2B²c + Bc², Bc² + 8c³/3)]
//   low_rank   of rank L: D K² for the fit, K = n + L, and 2 B K D forward derivatives
double FullFlops(const FitShape& shape);
double PerUnitFlops(const FitShape& shape);
double LowRankFlops(const FitShape& shape, Index rank);
// SoftmaxFlops are what the softmax of C > 2 classes takes beside them, by draws of the logits and
// all their second moments: 250 B C².
double SoftmaxFlops(const FitShape& shape);

// The most flops of a pass with which a model still learns 2,000 rows a second on one core, at the
// passes that are usual: two to four of linear models, up to seven of networks, one of lofi. Small
// products are slower ones.
inline constexpr double kMostFullLinearFlops = 2e8;
inline constexpr double kMostFullNetworkFlops = 8e7;
inline constexpr double kMostPerUnitFlops = 1e8;
inline constexpr double kMostLowRankFlops = 6e7;
inline constexpr double kMostLofiFlops = 3e8;
// Where a pass of per_unit costs more than this, two of them are all.
inline constexpr double kManyPassesFlops = 6e7;

struct DefaultFit {
  std::string posterior, rule;
  Index rank = 0;    // of posterior low_rank
  Index passes = 0;  // of rvga, where that is not its own default
};

// ChooseByCost takes the first that is affordable of
//   full, by rvga                   every model; of a linear one of many classes that may follow a
//                                   world that moves, only where two beliefs are affordable
//   per_unit, by rvga               linear models
//   low_rank of rank 30, by rvga    every model
//   low_rank of rank 10, by lofi    every model
//   diagonal, by rvga               however large
DefaultFit ChooseByCost(const FitShape& shape);

// PassFlops estimates those flops for any posterior, by what it holds: `correlated` weights with
// all their covariances or those of each unit (`by_units`), a factor of `rank` columns, or
// variances alone.
double PassFlops(const FitShape& shape, Index correlated, bool by_units, Index rank);

// A belief that drifts costs little more than one that stands still where rows are met one by one
// (core/learner/drifting/in_turn.h). In steps, as models of several logits and networks learn, each
// step expands the likelihood anew; of a softmax that takes longer than the fit, and a prior whose
// logits are wide longer still: by five beliefs a linear model of ten classes learned 50 rows a
// second, by one 27,000.
inline constexpr double kMostFlopsOfMany = 2e7;
inline constexpr double kMostFlopsOfFour = 1e7;
inline constexpr double kMostFlopsOfThree = 3e7;
inline constexpr double kMostFlopsOfTwo = 6e7;
inline constexpr double kMostFlopsOfTwoInSteps = 1e6;
// This limit includes SoftmaxFlops, and is of linear models; that of networks is
// kMostFullNetworkFlops.
inline constexpr double kMostFlopsOfTwoOfClasses = 3.2e7;
inline constexpr Index kFewClasses = 3;

// AffordableBeliefs is how many beliefs dynamics `adaptive` can afford where a pass of one costs
// `pass_flops`: kManyBeliefs of linear models of one logit (300 weights), of those of several 2 (60
// weights, or of more than three classes 40 of them with 20 inputs); of networks 4, or 3, whose
// prior then has two scales; of those of more classes, and of others, 2; else 1, which is to stand
// still.
inline constexpr Index kManyBeliefs = 5;
Index AffordableBeliefs(const FitShape& shape, double pass_flops);

}  // namespace prequel
