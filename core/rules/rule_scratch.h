// Scratch vectors of every rule; they grow once. A rule owns what they hold during its call only.
#pragma once

#include <vector>

#include "core/linalg/types.h"
#include "core/linalg/woodbury.h"
#include "core/models/kronecker.h"
#include "core/posteriors/compression.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/posteriors/local_full.h"

namespace prequel {

struct RuleScratch {
  Vector theta;                     // a draw
  Matrix draws;                     // D × samples
  Vector gradient, squares;         // of one back-propagation
  Vector mean_gradient, curvature;  // averages over draws
  Vector precision;

  // Full is for steps on a full posterior.
  struct Full {
    Matrix anchor, precision, step, root;  // D × D
    Matrix jacobian, curve;                // D × C·B, D × R·B
    FullSampler sampler;
    LocalFull local;
  };
  Full full;

  // Kronecker is for steps on a posterior in Kronecker form.
  struct Kronecker {
    std::vector<KroneckerFactors> factors, of_draw;
    KroneckerSampler sampler;
    KroneckerCovariance covariance;
    Matrix product;
  };
  Kronecker kronecker;

  // What follows is for a precision of low rank.
  Woodbury woodbury;
  Compressor compressor;
  Matrix jacobian;  // D × C·B
  Matrix columns;   // D × (L + those of the minibatch)
  Vector normal;
};

}  // namespace prequel
