// What the gaussian likelihood knows of its noise at each point of an update.
#pragma once

#include "core/encoding/target_encoder.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/likelihoods/moments.h"

namespace prequel {

// The inverse-gamma prior of learned noise, one per output; empty when noise is given or absent.
NoiseState InitialNoise(const Problem& problem);

// σ² of the predictive in the units of the encoded targets: the given variance over scale², or the
// inverse gamma's rate/shape with 2·shape degrees of freedom.
void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out);

// R of the update: as above, but 1 when the posterior is held in units of the noise.
void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out);

// In dataset mode an example counts once, however many passes are pushed: `noise` decays so that
// with `rows` residuals more it stands for at most N. Nothing in recursive mode.
void ForgetRepeated(const Problem& problem, Index rows, NoiseState& noise);

}  // namespace prequel
