// What a posterior family says of itself unless it says otherwise.
#pragma once

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// Anchor is what steps in recursive mode are anchored to besides q's mean: its precision where that
// is diagonal, or its covariance of all weights. Neither: the rule takes q itself as the prior.
struct Anchor {
  const Vector* precision = nullptr;   // diag Λ: D
  const Matrix* covariance = nullptr;  // D × D, lower triangle
};

// SquareOf is n², which may be more than an Index holds.
inline double SquareOf(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// CheckParams: INVALID_ARGUMENT (config.model) unless `params` are at most `limit`; `remedy`
// completes "… 4096 …".
absl::Status CheckParams(Index params, Index limit, std::string_view remedy);

struct PosteriorDefaults {
  // Whether the weights are uncertain: else logits are known, and nothing is linearised.
  static constexpr bool kHasVariance = true;
  // kIsVectors: whether it is nothing but vectors, and so has the option `storage`.
  static constexpr bool kIsVectors = false;
  // Whether drift can be added to its covariance; then Diffuse exists.
  static constexpr bool kDiffuses = false;
  // Whether it is a mean and a `covariance` of all weights with each other.
  static constexpr bool kIsDense = false;
  // Whether weights covary with those of their own unit alone.
  static constexpr bool kIsOfUnits = false;

  // Configure reads options and takes a shape from the layers: it leaves a prototype, to make
  // others of.
  static absl::Status Configure(Options& options, const Layers& /*layers*/) {
    return options.Finish();
  }
  // CheckSize: whether a posterior of such a shape, over D = params weights, may be held; else
  // INVALID_ARGUMENT.
  static absl::Status CheckSize(Index params);
  // CheckPrior: whether N(·, diag(variances)) is of the family; else INVALID_ARGUMENT.
  static absl::Status CheckPrior(const Vector& /*variances*/) { return absl::OkStatus(); }
  // HasShapeOf: whether a decoded value has the shape of the prototype `other`.
  template <class Q>
  static bool HasShapeOf(const Q& /*other*/) {
    return true;
  }

  // first_uncertain: no weight before it is uncertain, so that no derivatives by those are asked
  // for.
  static Index first_uncertain() { return 0; }
  // num_correlated is how many weights have a covariance with each other, rank how many columns a
  // factor has.
  static Index num_correlated() { return 0; }
  static Index rank() { return 0; }
  static Anchor anchor() { return {}; }
};

}  // namespace prequel
