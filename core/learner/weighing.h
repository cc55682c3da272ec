// How much each row of a minibatch counts: of a model that is robust, of rows whose inputs are not
// all known, and of rows that have weights of their own.
#pragma once

#include "absl/status/status.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// RowWeight says how much one row counts: in the fit, w², and for the noise, ω. Both in [0, 1].
struct RowWeight {
  double fit = 1;
  double noise = 1;
};

// WeighRow weighs row `i` by what is known of its logits and of the noise before it is learned;
// `target` (T) is encoded. `sureness`: the share of the noise in the variance of the row, whose
// inputs may not all be known. The whole row counts where the likelihood cannot weigh.
RowWeight WeighRow(const Problem& problem, const LogitMoments& moments, const NoiseLevel& noise,
                   Index i, ConstVectorRef target, double sureness);

// NoiseBefore writes the noise that WeighRow takes to w.weighing_noise: `noise` is what is known of
// it, and w.noise what the fit is given.
void NoiseBefore(const Problem& problem, const NoiseState& noise, BeliefWorkspace& w);

// CountOf returns how often row i of those that are learned now counts, SurenessOf by how much of
// it is known.
double CountOf(const BeliefWorkspace& w, Index i);
double SurenessOf(const BeliefWorkspace& w, Index i);

// WeighRows weighs the rows that w.expansion is bound to by what the prior of one belief, w.prior,
// says of them: how much each counts in the fit, which the expansion is told, and for the noise, in
// w.noise_weights. `noise` is what is known of the noise before them. Where the model weighs no
// rows they count as w.sure and w.counts say.
// Afterwards the projector stands where StandAtPrior leaves it, unless the rule draws.
absl::Status WeighRows(const Problem& problem, const NoiseState& noise, BeliefWorkspace& w);

// NoiseWeights returns how much each row that was weighed last counts for the noise (B), in `w`;
// null where all count once: `w` then holds what another model has left there.
const Vector* NoiseWeights(const Problem& problem, const BeliefWorkspace& w);

// WeighOutcomes weighs the targets `outcomes` in their units (T × B) by the predictive of all
// beliefs together, w.predictive: how much each row says of which belief is right, into
// w.row_weights, and the targets that running moments are to see, each held within the threshold of
// what was predicted, into w.held.targets. REQUIRES: the model weighs rows.
void WeighOutcomes(const Problem& problem, const Matrix& outcomes, Workspace& w);

}  // namespace prequel
