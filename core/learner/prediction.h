// Predicts from beliefs: the one code path of scores and answers.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// MatchedTo returns the predictive that matches what the rule has fitted, in this state of it. Of a
// posterior without variance, it is the logits at the mean.
MatchedPredictive MatchedTo(const Problem& problem, const RuleState& state);

// DrawsOf returns how many draws of θ a query for `samples` of them takes of a belief: 0 when
// nothing is drawn.
int DrawsOf(const Problem& problem, const RuleState& state, int samples);

// Place says where the rows at hand lie in the minibatch that they are of. With `rows` 1 each is
// the next row, however many there are.
struct Place {
  Index first = 0;
  Index rows = 0;  // of the minibatch
  // `passed` holds `rows` numbers: the time that has passed up to each row of the minibatch, in
  // usual ones. Null: each row counts as one.
  const Vector* passed = nullptr;

  // Until returns the time from the state to row i of the minibatch.
  double Until(Index i) const {
    return passed != nullptr ? (*passed)[i] : static_cast<double>(i + 1);
  }
  // `time` returns how much time passes over the minibatch.
  double time() const { return Until(rows - 1); }
  // Before returns the time to row i from the end of row i − 1, or from the state.
  double Before(Index i) const { return i > 0 ? Until(i) - Until(i - 1) : Until(0); }
};

// Sampling says how a prediction by draws of θ is made.
struct Sampling {
  int samples = 0;  // of each belief when that is positive, else as it matches the rule
  // `proceed` is asked before a posterior is factorised, and every now and then between draws: what
  // else than OK it says ends the prediction. Empty: it goes on to its end.
  std::function<absl::Status()> proceed;
  // `follows`: these rows follow others of the same query: a posterior that was factorised for
  // those, and has drifted no further, is not factorised again. REQUIRES: the call before, with the
  // same workspace, was for those, of the same problem and state, and OK.
  bool follows = false;
};

// PredictRows writes the predictive of encoded `inputs` (D_in × B) under `state` into w.predictive:
// for each belief its dynamics over the minibatch up to them, then one member that is linearised,
// or one per draw, which drifts as a whole. What a fit can use again stays in w.beliefs. `inputs`
// must outlive that.
absl::Status PredictRows(const Problem& problem, const LearnerState& state, const Matrix& inputs,
                         const Place& place, const Sampling& sampling, Workspace& w);

// BelievedRun returns the run that is believed the most, where the dynamics think of restarts: the
// first belief or the last, or any where the beliefs are runs alone.
std::size_t BelievedRun(const Problem& problem, const LearnerState& state);

// Drifts: whether time changes belief k of the problem.
bool Drifts(const Problem& problem, std::size_t k);

// LearnsInSteps: whether belief k meets the drift in a minibatch of `rows` rows step by step. One
// that drifts and does not, nor goes row by row, drifts once, before the minibatch.
bool LearnsInSteps(const Problem& problem, std::size_t k, Index rows);

// DriftTo writes what `time`, in rows, makes of `posterior`, that of belief k, to w.moved; that is
// w.prior then.
void DriftTo(const Problem& problem, const Posterior& posterior, std::size_t k, double time,
             DynamicsScratch& scratch, BeliefWorkspace& w);

// DriftOn lets w.moved, which is of belief k, drift for `time` more rows, in place.
void DriftOn(const Problem& problem, std::size_t k, double time, DynamicsScratch& scratch,
             BeliefWorkspace& w);

// StandAtPrior puts a belief's projector, and its expansion unless the rule draws, where a fit
// begins: at w.prior. Nothing to do where a prediction of the same inputs has left them there.
absl::Status StandAtPrior(const Problem& problem, BeliefWorkspace& w);

// StandAt computes the moments of the logits under `posterior`, by linearisation, of what the
// expansion is bound to; without a covariance where the family has none.
absl::Status StandAt(const Posterior& posterior, BeliefWorkspace& w);

// KeepPriorLogits writes the logits at the prior's mean of what the expansion is bound to, to
// w.prior_logits.
void KeepPriorLogits(BeliefWorkspace& w);

}  // namespace prequel
