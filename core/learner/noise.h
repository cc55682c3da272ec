// What one belief knows of the noise of the targets, at each point of an update.
#pragma once

#include <vector>

#include "core/encoding/target_encoder.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/likelihoods/noise_model.h"

namespace prequel {

// What is held of learned noise at first, of each output; empty when noise is given or absent.
NoiseState InitialNoise(const Problem& problem);

// σ² of the predictive in the units of the encoded targets: the given variance over scale², or the
// inverse gamma's rate/shape with 2·shape degrees of freedom. Of counts the dispersion, and the
// largest count so far.
void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out);

// The same of track `track` of a belief, the first being what all rows tell alike: as it will be
// halfway through the next `rows` rows, of which none is known.
void TrackNoise(const Problem& problem, const TargetState& targets, const Belief& belief,
                Index track, double rows, NoiseLevel& out);

// Noise that is as large as `noise` says and otherwise as unknown as at first.
void FreshNoiseAt(const Problem& problem, const NoiseState& noise, NoiseState& out);

// D: σ of the output that each weight of the last layer, which is the only one of a linear model,
// belongs to: what a deviation held in units of the noise is multiplied by.
void NoiseOfWeights(const Problem& problem, const NoiseLevel& noise, Vector& out);

// R of the update: as above, but 1 when the posterior is held in units of the noise.
void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out);

// What the dynamics leave of what belief k has learned of the dispersion of counts before the next
// `rows` rows are learned: the level stays.
void ForgetDispersion(const Problem& problem, std::size_t k, double rows, NoiseState& noise);

// What is learned of the noise from a minibatch, by the likelihood. INTERNAL when it overflows.
absl::Status LearnNoise(const Problem& problem, const NoiseEvidence& evidence, NoiseState& noise);

// The same of the tracks of a belief, row by row. Before each, with rate ρ,
//   shape ← shape₀ + e^{−ρ} (shape − shape₀),  rate/shape stays
// and rate/shape stays above 1e-100 after it.
// REQUIRES: the likelihood is gaussian.
void LearnTracks(const Problem& problem, const NoiseEvidence& evidence,
                 std::vector<NoiseState>& tracks);

// A belief learns both, its noise and its tracks, from the logits of encoded `targets` (T × B)
// before and after they were learned. `weights`: how much each row counts (B); null: every row
// counts whole. `sureness`: the share of the noise in the variance of each (B); null: all.
absl::Status LearnAllNoise(const Problem& problem, const Matrix& targets, const Matrix& before,
                           const LogitMoments& after, const Vector* weights, const Vector* sureness,
                           Belief& belief);

}  // namespace prequel
