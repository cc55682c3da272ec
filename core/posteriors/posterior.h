// The closed set of posterior families. Adding one is one new file and one word in the variant.
#pragma once

#include <concepts>
#include <string_view>
#include <tuple>
#include <variant>

#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/local_diagonal.h"
#include "core/posteriors/local_full.h"

namespace prequel {

// A posterior is plain data. How it is fitted to a minibatch is its Local (LocalFull documents the
// interface), how it is drawn from its Sampler.
template <class Q>
concept PosteriorType = std::copyable<Q> && requires(const Q& q, const Vector& v) {
  { Q::kName } -> std::convertible_to<std::string_view>;
  { Q::FromDiagonal(v, v) } -> std::same_as<Q>;
  { q.size() } -> std::same_as<Index>;
  { q.IsFinite() } -> std::same_as<bool>;
};

template <PosteriorType... Qs>
using PosteriorOf = std::variant<Qs...>;

using Posterior = PosteriorOf<FullGaussian, DiagonalGaussian>;
using LocalFits = std::tuple<LocalFull, LocalDiagonal>;  // in the order of Posterior
using Samplers = std::tuple<FullSampler, DiagonalSampler>;

template <class Q>
struct PosteriorTraits;
template <>
struct PosteriorTraits<FullGaussian> {
  using Local = LocalFull;
  using Sampler = FullSampler;
};
template <>
struct PosteriorTraits<DiagonalGaussian> {
  using Local = LocalDiagonal;
  using Sampler = DiagonalSampler;
};

}  // namespace prequel
