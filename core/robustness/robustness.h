// The closed set of robust weightings: how much a row counts that is far from what was predicted of
// it. Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/robustness/imq.h"
#include "core/robustness/mahalanobis_gate.h"
#include "core/robustness/none.h"
#include "core/robustness/surprise.h"

namespace prequel {

template <class T>
concept RobustnessType = requires(T& t, const T& c, Options& options, const Surprise& surprise) {
  { T::kName } -> std::convertible_to<std::string_view>;
  // kWeighs: whether some row may count less than another.
  { T::kWeighs } -> std::convertible_to<bool>;
  { t.Configure(options) } -> std::same_as<absl::Status>;
  // threshold: how many deviations of the prediction a row must be off to be held far.
  { c.threshold() } -> std::same_as<double>;
  // Weight is w² in [0, 1]: the exponent of a row's likelihood, which for gaussian is R ← R/w².
  { c.Weight(surprise) } -> std::same_as<double>;
  // NoiseWeight in [0, 1] is how much a row's residual says of the noise, and its density of which
  // belief is right.
  { c.NoiseWeight(surprise) } -> std::same_as<double>;
};

template <RobustnessType... Ts>
struct RobustnessSet {
  using Variant = std::variant<Ts...>;
};

using Robustness = RobustnessSet<NoRobustness, InverseMultiquadric, MahalanobisGate>::Variant;

// WeighedSquare is the mean square of residuals that are weighed by NoiseWeight, ω, beside that of
// all, where all are as predicted: E[ω s]/(E[ω] E[s]) with s ~ χ²_T over T outputs. Learned noise
// divides by it, or weighing alone would make it small. Exactly 1 where all count whole.
double WeighedSquare(const Robustness& robustness, Index outputs);

}  // namespace prequel
