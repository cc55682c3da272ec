// What dynamics say of themselves unless they say otherwise.
#pragma once

#include "core/dynamics/hypotheses.h"
#include "core/dynamics/mixing.h"
#include "core/linalg/types.h"
#include "core/linalg/woodbury.h"
#include "core/models/layer.h"

namespace prequel {

// What dynamics may know of a model.
struct MovingModel {
  const Layers& layers;
  bool tracks_noise = false;       // a belief may know of its noise in several ways
  bool counts = false;             // f is the log of a rate
  bool tracks_dispersion = false;  // and how much counts vary is learned
  Index affordable = 5;            // beliefs, of the model's size
  Index scales = 1;                // of the prior
};

// Passage is what passes between the revision of a belief and the minibatch that it is asked about.
struct Passage {
  double rows = 0;                // of time: one for each example, unless they say when they were
  const Vector& prior_variances;  // p₀: D, of the belief's prior, as configured
  const Vector& prior_mean;       // m₀: D
  const Layers& layers;           // where each weight lies
  Index belief = 0;               // which of those of the model
};

// Scratch of any dynamics.
struct DynamicsScratch {
  Vector keep, added, pull;  // D
  Matrix matrix, inner, part;
  Woodbury precision;
};

struct DynamicsDefaults {
  static constexpr double kMostRate = 1e6, kMostCap = 1e12;  // of a drift

  // `hypotheses` is what a model holds whose prior has `scales` scales: one belief of each, weighed
  // by Bayes' rule (`mixing`).
  static Hypotheses hypotheses(Index scales) { return OnePerScale(scales); }
  static Mixing mixing() { return {}; }
  // Moves: whether that belief changes without data.
  static bool Moves(Index /*belief*/) { return true; }
};

// NoDynamicsState remembers nothing besides the belief.
struct NoDynamicsState {
  template <class A, class Self>
  static void Fields(A&, Self&) {}
  static bool IsSound() { return true; }
};

}  // namespace prequel
