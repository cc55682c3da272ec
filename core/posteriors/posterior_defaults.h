// What a posterior family says of itself unless it says otherwise.
#pragma once

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// What steps in recursive mode are anchored to besides q's mean: its precision where that is
// diagonal, or its covariance of all weights. Neither: the rule takes q itself as the prior.
struct Anchor {
  const Vector* precision = nullptr;   // diag Λ: D
  const Matrix* covariance = nullptr;  // D × D, lower triangle
};

// n², which may be more than an Index holds.
inline double SquareOf(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// INVALID_ARGUMENT (config.model) unless `params` are at most `limit`; `remedy` completes
// "… 4096 …".
absl::Status CheckParams(Index params, Index limit, std::string_view remedy);

struct PosteriorDefaults {
  // Whether the weights are uncertain: else logits are known, and nothing is linearised.
  static constexpr bool kHasVariance = true;
  // Whether it is nothing but vectors, and so has the option `storage`.
  static constexpr bool kIsVectors = false;
  // Whether drift can be added to its covariance; then Diffuse exists.
  static constexpr bool kDiffuses = false;
  // Whether it is a mean and a `covariance` of all weights with each other.
  static constexpr bool kIsDense = false;
  // Whether weights covary with those of their own unit alone.
  static constexpr bool kIsOfUnits = false;

  // Reads options and takes a shape from the layers: leaves a prototype, to make others of.
  static absl::Status Configure(Options& options, const Layers& /*layers*/) {
    return options.Finish();
  }
  // Whether one of such a shape, over D = params weights, may be held. INVALID_ARGUMENT.
  static absl::Status CheckSize(Index params);
  // Whether N(·, diag(variances)) is of the family. INVALID_ARGUMENT.
  static absl::Status CheckPrior(const Vector& /*variances*/) { return absl::OkStatus(); }
  // Whether a decoded value has the shape of the prototype `other`.
  template <class Q>
  static bool HasShapeOf(const Q& /*other*/) {
    return true;
  }

  // No weight before this one is uncertain, so that no derivatives by them are asked for.
  static Index first_uncertain() { return 0; }
  // How many weights have a covariance with each other, and columns of a factor.
  static Index num_correlated() { return 0; }
  static Index rank() { return 0; }
  static Anchor anchor() { return {}; }
};

}  // namespace prequel
