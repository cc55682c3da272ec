// All scratch memory of one update or query; grows to the largest minibatch once.
#pragma once

#include <vector>

#include "core/config/batch.h"
#include "core/distributions/class_predictive.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"

namespace prequel {

struct Workspace {
  std::vector<Index> known;  // rows whose target is known
  Batch selected;            // those rows, when they are not all
  Matrix inputs, targets;    // encoded
  NoiseLevel noise;

  Vector location, scale;  // T: from the units the model learns in to those of the targets

  Expansion expansion;
  Projectors projectors;
  Samplers samplers;
  Divergences divergences;
  RuleScratch rule;
  RuleState passing;                  // of a recursive rule, which lives as long as the minibatch
  std::vector<LogitMoments> members;  // of the predictive: one, or one per Monte Carlo draw
  Matrix previous_mean;               // C × B, logits before the update (noise learning)
  ClassPredictive classes, member_classes;
  LearnerState unpacked, next_unpacked;  // of a model with storage float32
};

}  // namespace prequel
