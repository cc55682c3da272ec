// The closed set of likelihoods. Adding one is one new file and one word in the variant.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "core/config/options.h"
#include "core/likelihoods/bernoulli.h"
#include "core/likelihoods/categorical.h"
#include "core/likelihoods/gaussian.h"
#include "core/likelihoods/moments.h"
#include "core/likelihoods/poisson.h"

namespace prequel {

// A likelihood sees logits and encoded targets, never a parameter. Encoded targets are T × B:
// values (gaussian), counts (poisson), class index 0..K−1 (bernoulli, categorical).
template <class L>
concept LikelihoodType = requires(L& l, const L& c, Options& options, const TargetConfig& target,
                                  const LogitMoments& moments, const NoiseLevel& noise,
                                  ConstMatrixRef targets, LocalExpansion& expansion, double y) {
  { L::kName } -> std::convertible_to<std::string_view>;
  // Whether targets are classes; then Probabilities exists, otherwise Predictive.
  { L::kClasses } -> std::convertible_to<bool>;
  // Reads options and sizes itself by the target (classes or width).
  { l.Configure(options, target) } -> std::same_as<absl::Status>;
  { c.num_logits() } -> std::same_as<Index>;
  { c.num_targets() } -> std::same_as<Index>;     // rows of the encoded targets
  { c.curvature_rank() } -> std::same_as<Index>;  // R
  // Empty when y can occur, else what would be right ("a count: 0, 1, 2, …").
  { c.TargetProblem(y) } -> std::convertible_to<std::string_view>;
  // Expectations of log density, score and curvature; allocates nothing once sized.
  c.Expand(moments, targets, noise, expansion);
};

template <LikelihoodType... Ls>
using LikelihoodOf = std::variant<Ls...>;

using Likelihood = LikelihoodOf<Gaussian, Bernoulli, Categorical, Poisson>;

}  // namespace prequel
