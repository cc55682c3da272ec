// What one belief knows of the noise of the targets, at each point of an update.
#pragma once

#include "core/encoding/target_encoder.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/likelihoods/noise.h"

namespace prequel {

// What is held of learned noise at first, of each output; empty when noise is given or absent.
NoiseState InitialNoise(const Problem& problem);

// σ² of the predictive in the units of the encoded targets: the given variance over scale², or the
// inverse gamma's rate/shape with 2·shape degrees of freedom. Of counts the dispersion, and the
// largest count so far.
void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out);

// D: σ of the output that each weight of the last layer, which is the only one of a linear model,
// belongs to: what a deviation held in units of the noise is multiplied by.
void NoiseOfWeights(const Problem& problem, const NoiseLevel& noise, Vector& out);

// R of the update: as above, but 1 when the posterior is held in units of the noise.
void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out);

// What is learned of the noise from a minibatch, by the likelihood. INTERNAL when it overflows.
absl::Status LearnNoise(const Problem& problem, const NoiseEvidence& evidence, NoiseState& noise);

}  // namespace prequel
