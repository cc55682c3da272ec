// What one belief knows of the noise of the targets, at each point of an update.
#pragma once

#include <vector>

#include "core/encoding/target_encoder.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/likelihoods/noise_model.h"

namespace prequel {

// InitialNoise is what is held of learned noise at first, of each output; empty when noise is given
// or absent.
NoiseState InitialNoise(const Problem& problem);

// PredictiveNoise writes σ² of the predictive in the units of the encoded targets: the given
// variance over scale², or the inverse gamma's rate/shape with 2·shape degrees of freedom. Of
// counts it is the dispersion, and the largest count so far.
void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out);

// TrackNoise writes the predictive noise of track `track` of a belief (track 0 is what all rows
// tell alike) as it will be halfway through the next `rows` rows, before they are known.
void TrackNoise(const Problem& problem, const TargetState& targets, const Belief& belief,
                Index track, double rows, NoiseLevel& out);

// FreshNoiseAt makes noise that is as large as `noise` says and otherwise as unknown as at first.
void FreshNoiseAt(const Problem& problem, const NoiseState& noise, NoiseState& out);

// NoiseOfWeights writes what a deviation held in units of the noise is multiplied by (D): σ of the
// output that a weight of the last layer, the only one of a linear model, belongs to; else 1.
void NoiseOfWeights(const Problem& problem, const NoiseLevel& noise, Vector& out);

// FitNoise writes R of the update: the predictive noise, or 1 when the posterior is held in units
// of the noise.
void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out);

// ForgetDispersion forgets, before the next `rows` rows are learned, what the dynamics let belief k
// forget of the dispersion of counts: the level stays.
void ForgetDispersion(const Problem& problem, std::size_t k, double rows, NoiseState& noise);

// LearnNoise learns the noise from a minibatch, by the likelihood. INTERNAL when it overflows.
absl::Status LearnNoise(const Problem& problem, const NoiseEvidence& evidence, NoiseState& noise);

// LearnTracks learns the tracks of a belief, row by row. Before each row, with rate ρ,
//   shape ← shape₀ + e^{−ρ} (shape − shape₀),  rate/shape stays
// and rate/shape stays above 1e-100 after it.
// REQUIRES: the likelihood is gaussian.
void LearnTracks(const Problem& problem, const NoiseEvidence& evidence,
                 std::vector<NoiseState>& tracks);

// LearnAllNoise lets a belief learn both, its noise and its tracks, from the logits of encoded
// `targets` (T × B) before and after they were learned. `weights`: how much each row counts (B);
// null: every row counts whole. `sureness`: the share of the noise in the variance of each (B);
// null: all.
absl::Status LearnAllNoise(const Problem& problem, const Matrix& targets, const Matrix& before,
                           const LogitMoments& after, const Vector* weights, const Vector* sureness,
                           Belief& belief);

}  // namespace prequel
