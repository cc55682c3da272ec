// All scratch memory of one update or query; grows to the largest minibatch once.
#pragma once

#include <vector>

#include "core/config/batch.h"
#include "core/encoding/input_doubts.h"
#include "core/expansion/expansion.h"
#include "core/expansion/row_expansion.h"
#include "core/learner/belief.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/row_filter.h"
#include "core/predictive/predictive.h"

namespace prequel {

// What one belief has of the minibatch at hand, from its prediction to its fit.
struct BeliefWorkspace {
  Posterior moved;  // the prior of the minibatch, where the dynamics move it
  const Posterior* prior = nullptr;
  Expansion expansion;
  Projectors projectors;
  // The samplers are prepared for the posterior after a drift of `sampled_after` rows.
  Samplers samplers;
  double sampled_after = 0;
  NoiseLevel noise;
  Vector noise_of_weights;           // D: of a covariance in units of the noise, to draw from it
  Matrix step_inputs, step_targets;  // of one step of a belief that drifts
  bool at_mean = false;              // the expansion holds Forward at the prior's mean
  bool projected = false;            // and is linearised there, and the projector has seen it
  Matrix prior_logits;               // C × B: at the prior's mean (learned noise)
  Matrix first_products;             // of a belief in turn, as RowFilter::Begin takes them,
  bool has_first_products = false;   // where they are of the rows to be learned
  // These are of a model that weighs rows: what is known of the noise before them, how much each
  // counts in the fit and how much for the noise.
  NoiseLevel weighing_noise;
  Vector row_weights, noise_weights;  // B
  // These say how much each row counts, by how much of it is known (core/learner/doubting) and by
  // its own weight: of the minibatch, of one step, and of the rows that are learned now; null: all
  // of them whole, and once.
  Vector sureness, step_sureness, step_counts;
  const Vector* sure = nullptr;
  const Vector* counts = nullptr;
};

// What beliefs have that meet the rows of a minibatch one by one (core/learner/drifting/in_turn.h).
struct InTurnWorkspace {
  bool used = false;    // by some belief, for the minibatch at hand
  Matrix design;        // D × B, of all of them
  Expansion expansion;  // that it is of

  // What follows is used by one belief at a time.
  RowDrift forecast_drift, row_drift, block_drift;  // each of its own size, which stays
  Vector root;                                      // of one row
  RowForecast forecast;
  RowFilter filter;
  RowExpansion row;
  LogitMoments after;   // the logit of each row when it was learned
  LogitMoments before;  // of one row, just before that
};

// What inputs that are not known come to (core/learner/doubting/logit_doubts.h).
struct DoubtScratch {
  Matrix inputs;        // of the rows that have some
  Expansion expansion;  // of these
  Matrix slopes;        // by the inputs
  Matrix covariance;    // C × C·R: what they add
  NoiseLevel noise;
  Matrix targets;  // none
};

// Units that a minibatch moves (core/learner/carrying/new_units.h).
struct UnitsMove {
  UnitsChange of_inputs, of_targets;
  InputsChange inputs;
  OutputsChange outputs;
  CarryingScratch scratch;
  std::vector<Belief> beliefs;  // those of the state in the new units
  std::vector<Vector> scales;   // of their priors (core/learner/carrying/prior_scales.h)
  Vector before, after;         // precisions of a prior
};

struct Workspace {
  std::vector<Index> known;          // rows of the minibatch whose target is known and not refused
  std::vector<Index> kept;           // 0, 1, 2, …: as many
  Batch selected;                    // those rows, when they are not all
  Matrix inputs, moved_inputs;       // encoded as before the minibatch, and with it counted in
  InputDoubts doubts, moved_doubts;  // of these
  Matrix outcomes;                   // what is scored: values in their units, or indices of classes
  Matrix targets;                    // encoded, what is learned
  Vector row_weights;                // B: of a model that weighs rows, by all that is predicted
  Batch held;                        // and the targets that its running moments are to see
  Vector passed;                     // B: the time up to each, where they say when they happened
  Vector asked_passed;               // the same of what is asked
  Vector one_passed;                 // and of rows of it that are predicted together
  Vector asked_weights;              // how often each of what is scored counts
  std::vector<Index> asked_rows;     // the rows that are asked about
  std::vector<Index> tile_rows;      // those of them that are predicted together
  Batch asked;                       // and the latter as a batch

  UnitsMove units;
  DoubtScratch doubting;
  Predictive predictive;
  std::vector<BeliefWorkspace> beliefs;  // grows to the most that there were
  BeliefWorkspace restart;               // of the prior, as a belief that begins anew
  InTurnWorkspace in_turn;
  Vector weights;  // of hypotheses, and of a restart
  NoiseLevel track_noise;
  NoiseState restart_noise;

  // These are used by one belief at a time.
  Divergences divergences;
  RuleScratch rule;
  RuleState passing;  // of a recursive rule, which lives as long as the minibatch
  DynamicsScratch dynamics;

  Matrix log_densities;  // of what was predicted by each belief and track, by a restart
  MixingScratch mixing;
  CalibrationScratch calibration;
  ReferenceScratch references;
  Matrix watched, errors;  // inputs, and what the targets were less what was predicted

  LearnerState unpacked, next_unpacked;  // of a model with storage float32

  const void* user = nullptr;  // the problem that used it last, where scratch is poisoned
                               // (core/learner/scratch/poison.h)
};

}  // namespace prequel
