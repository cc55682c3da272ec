// What inputs that are not known (core/encoding/input_doubts.h) add to the variance of logits. For
// row i with errors of variance v_ij in its inputs, linearised at θ, which is exact for a linear
// model whose inputs are missing at random:
//   D_i = Σ_j v_ij s_ij s_ijᵀ,   s_ij = ∂f_i/∂z_ij ∈ R^C
// A prediction is less sure by that. And a value is learned as one whose noise is R + D_i, which is
// as if it counted κ_i = R/(R + D_i) times. An input that was held within the clip is doubted of
// values alone: behind a link, so much more variance would move the mean.
#pragma once

#include "core/encoding/input_doubts.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// AddDoubts adds D_i to what `member`, of encoded inputs (D_in × B), says of the logits; `noise` is
// the belief's, in whose units its covariance may be. Linearised at `theta`.
void AddDoubts(const Problem& problem, const Vector& theta, const Matrix& inputs,
               const InputDoubts& doubts, const NoiseLevel& noise, DoubtScratch& scratch,
               LogitMoments& member);

// WeighDoubts writes κ of all rows for a belief with that mean and noise to own.sureness: of
// several outputs the mean of theirs. own.sure points to it, or is null where every row counts
// whole: without doubts, or where the likelihood is not of values with noise.
void WeighDoubts(const Problem& problem, const TargetState& targets, const Vector& theta,
                 const NoiseState& noise, const Matrix& inputs, const InputDoubts& doubts,
                 DoubtScratch& scratch, BeliefWorkspace& own);

}  // namespace prequel
