// What one belief knows of the noise of the targets, at each point of an update.
#pragma once

#include "core/encoding/target_encoder.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/likelihoods/noise.h"

namespace prequel {

// The inverse-gamma prior of learned noise, one per output; empty when noise is given or absent.
NoiseState InitialNoise(const Problem& problem);

// σ² of the predictive in the units of the encoded targets: the given variance over scale², or the
// inverse gamma's rate/shape with 2·shape degrees of freedom.
void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out);

// D: σ of the output that each weight of the last layer, which is the only one of a linear model,
// belongs to: what a deviation held in units of the noise is multiplied by.
void NoiseOfWeights(const Problem& problem, const NoiseLevel& noise, Vector& out);

// R of the update: as above, but 1 when the posterior is held in units of the noise.
void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out);

// Learned noise after a minibatch of B examples with encoded `targets`, whose logits at the mean
// were `before` it and are `after` it (all C × B):
//   α += B/2,  β += ½ rᵀ S⁻¹ r  with r = y − f_{m_{t−1}}, S = I + J P Jᵀ/σ²
// On the linear model S⁻¹ r = y − f_{m_t}, which is how it is computed here (and never less than
// |y − f_{m_t}|²). In dataset mode an example counts once, however many passes are pushed: `noise`
// first decays so that it will stand for at most N. INTERNAL when it overflows.
absl::Status LearnNoise(const Problem& problem, const Matrix& targets, const Matrix& before,
                        const Matrix& after, NoiseState& noise);

}  // namespace prequel
