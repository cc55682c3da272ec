// The parts of a configuration, made ready: what a Learner is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/archive/archive.h"
#include "core/calibration/calibration.h"
#include "core/change/block_watch.h"
#include "core/config/learner_config.h"
#include "core/dynamics/dynamics.h"
#include "core/dynamics/restarts.h"
#include "core/dynamics/run_lengths.h"
#include "core/encoding/encoder.h"
#include "core/encoding/target_encoder.h"
#include "core/likelihoods/likelihood.h"
#include "core/models/model.h"
#include "core/posteriors/posterior.h"
#include "core/robustness/robustness.h"
#include "core/rules/rule.h"
#include "core/skill/references.h"

namespace prequel {

// What a belief knows of the weights before the first minibatch, N(m₀, Λ₀⁻¹).
struct BeliefPrior {
  Vector variances, precision;  // D: diag Λ₀⁻¹ and Λ₀
  Posterior initial;            // as the family holds it
};

struct Problem {
  LearnerConfig config;     // with every default filled in
  std::uint64_t given = 0;  // Fingerprint of the configuration as it came
  Encoder encoder;
  TargetEncoder target_encoder;
  Model model;
  Layers layers;  // of the model
  Likelihood likelihood;
  Vector prior_mean;                // D: m₀, of all beliefs
  std::vector<BeliefPrior> priors;  // of each scale that the prior has, at least one
  bool learns_prior_scale = false;  // core/learner/carrying/prior_scales.h
  Rule rule;
  Rule drifting_rule;  // of a network's beliefs that drift
  Dynamics dynamics;
  Hypotheses hypotheses;  // as the dynamics have them
  Mixing mixing;          // of these
  Restarts restarts;
  RunLengths run_lengths;  // of beliefs that are runs
  Calibration calibration;
  Robustness robustness;
  double weighed_square = 1;            // WeighedSquare of it and the outputs
  Storage storage = Storage::kFloat64;  // of the posterior's and the rule's vectors

  // INVALID_ARGUMENT names the offending field and what would be right.
  static absl::StatusOr<Problem> Make(LearnerConfig config);

  // thinks_of_restarts: whether the dynamics think of a restart, after which the prior says what
  // comes.
  bool thinks_of_restarts() const { return restarts.any() || run_lengths.any(); }
  // Whether the posterior's weights covary with those of their own unit alone.
  bool is_of_units() const;
  Index num_beliefs() const { return hypotheses.beliefs(); }
  const BeliefPrior& PriorOf(Index belief) const {
    return priors[static_cast<std::size_t>(hypotheses.scale_of(belief))];
  }
  // prototype is some posterior of the family, and of its shape.
  const Posterior& prototype() const { return priors.front().initial; }
  Index num_params() const;
  // num_correlated is how many weights the posterior family gives a covariance with each other.
  Index num_correlated() const;
  Index rank() const;  // columns of the posterior family's factor; 0 of one without
  Index num_logits() const;
  bool classes() const;
  Predicted predicted() const;
  Setting setting() const;
  NoiseModel noise() const;
  // dataset_size is N of a rule in dataset mode; 0 in recursive mode.
  double dataset_size() const;
  // in_noise_units: whether the covariance is held in units of the learned noise variance.
  bool in_noise_units() const;
  // weighs_rows: whether some rows may count less than others.
  bool weighs_rows() const;
  // FreshCalibration is what is known before the first minibatch of how predictions come true.
  CalibrationState FreshCalibration() const;
  bool IsSound(const CalibrationState& state) const;
  // references are what the model's evaluation compares with.
  References references() const;
  // input_watch watches the inputs, error_watch the errors, where the noise may move; else none.
  BlockWatch input_watch() const;
  BlockWatch error_watch() const;
};

}  // namespace prequel
