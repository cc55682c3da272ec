// The closed set of likelihoods. Adding one is one new file and one word in the variant.
#pragma once

#include <concepts>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/config/options.h"
#include "core/distributions/class_predictive.h"
#include "core/distributions/distribution.h"
#include "core/likelihoods/bernoulli.h"
#include "core/likelihoods/categorical.h"
#include "core/likelihoods/gaussian.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/logit_moments.h"
#include "core/likelihoods/negative_binomial.h"
#include "core/likelihoods/noise_model.h"
#include "core/likelihoods/poisson.h"

namespace prequel {

// A likelihood sees logits and encoded targets, never a parameter. Encoded targets are T × B:
// values (gaussian), counts (poisson), class index 0..K−1 (bernoulli, categorical). It need not
// declare what LikelihoodDefaults declares for it.
template <class L>
concept LikelihoodType = std::derived_from<L, LikelihoodDefaults> &&
    requires(L& l, const L& c, Options& options, TargetConfig& target, const LogitMoments& moments,
             const NoiseLevel& noise, ConstMatrixRef targets, LocalExpansion& expansion, double y,
             const NoiseEvidence& evidence, NoiseState& noise_state) {
  { L::kName } -> std::convertible_to<std::string_view>;
  // Whether targets are classes; then Probabilities exists, otherwise Marginal.
  { L::kClasses } -> std::convertible_to<bool>;
  { L::kLink } -> std::convertible_to<Link>;
  { L::kHasUnits } -> std::convertible_to<bool>;
  { L::kCounts } -> std::convertible_to<bool>;
  { L::kWeighsRows } -> std::convertible_to<bool>;
  { c.standardizes() } -> std::same_as<bool>;
  L::CompleteTarget(target);
  // Reads options and sizes itself by the target (classes or width).
  { l.Configure(options, target) } -> std::same_as<absl::Status>;
  { c.num_logits() } -> std::same_as<Index>;
  { c.num_targets() } -> std::same_as<Index>;     // rows of the encoded targets
  { c.curvature_rank() } -> std::same_as<Index>;  // R
  { c.noise() } -> std::same_as<NoiseModel>;
  // Adds a minibatch to what is known of the noise; INTERNAL when that overflows.
  { c.LearnNoise(evidence, noise_state) } -> std::same_as<absl::Status>;
  // TargetProblem is empty when y can occur, else what would be right ("a count: 0, 1, 2, …").
  { c.TargetProblem(y) } -> std::convertible_to<std::string_view>;
  // Expectations of log density, score and curvature; allocates nothing once sized.
  c.Expand(moments, targets, noise, expansion);
};

// The predictive of classes is one of a whole minibatch.
template <class L>
concept ClassLikelihood = LikelihoodType<L> && L::kClasses &&
    requires(const L& c, const LogitMoments& moments, ClassPredictive& predictive) {
  { c.num_classes() } -> std::same_as<Index>;
  // Probabilities allocates nothing once sized.
  c.Probabilities(moments, predictive);
};

// The predictive of values is a distribution (distributions/distribution.h) per output and example,
// in the units that the model learns in.
template <class L>
concept ValueLikelihood = LikelihoodType<L> && !L::kClasses &&
                          requires(const L& c, const LogitMoments& moments, const NoiseLevel& noise,
                                   Index output, Index example) {
  { c.Marginal(moments, noise, output, example) } -> DistributionType;
};

template <class... Ls>
requires((ClassLikelihood<Ls> || ValueLikelihood<Ls>)&&...) struct LikelihoodSet {
  using Variant = std::variant<Ls...>;
  // Each is the tuple of the scratch `Of<L>` of every likelihood L.
  template <template <class> class Of>
  using Each = std::tuple<Of<Ls>...>;
};

using Likelihoods = LikelihoodSet<Gaussian, Bernoulli, Categorical, Poisson, NegativeBinomial>;
using Likelihood = Likelihoods::Variant;

}  // namespace prequel
