// The closed set of posterior families. Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <string_view>
#include <tuple>
#include <variant>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/block_diagonal_gaussian.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/posteriors/local_block_diagonal.h"
#include "core/posteriors/local_diagonal.h"
#include "core/posteriors/local_full.h"
#include "core/posteriors/local_low_rank.h"
#include "core/posteriors/local_low_rank_hidden.h"
#include "core/posteriors/local_subset.h"
#include "core/posteriors/low_rank_gaussian.h"
#include "core/posteriors/low_rank_hidden_gaussian.h"
#include "core/posteriors/point_mass.h"
#include "core/posteriors/subset_gaussian.h"
#include "core/random/philox.h"

namespace prequel {

// A posterior is plain data. What it says of the logits of a minibatch is its Projector's to work
// out, its draws are its Sampler's to make, and its Divergence has Kl(q, p) if there is one: all
// three are scratch. Nothing allocates once grown.
template <class Q>
concept PosteriorType = std::copyable<Q> &&
    requires(const Q& q, const Vector& v, Index params, typename Q::Projector& projector,
             typename Q::Sampler& sampler, Expansion& expansion, const Stream& stream,
             Vector& theta) {
  { Q::kName } -> std::convertible_to<std::string_view>;
  // Whether the weights are uncertain: else logits are known, and nothing is linearised.
  { Q::kHasVariance } -> std::convertible_to<bool>;
  // One that is nothing but vectors says kIsVectors, and has the option `storage`.
  // Of the prior's mean and variances. A family with a shape has Configure(options, layers) as
  // well, which leaves a prototype that makes others of its shape.
  { q.FromDiagonal(v, v) } -> std::same_as<Q>;
  { q.mean } -> std::convertible_to<const Vector&>;
  { q.size() } -> std::same_as<Index>;
  { q.IsFinite() } -> std::same_as<bool>;
  // Whether a decoded value is one that an update of D = params weights could have left. A family
  // with a shape may have HasShapeOf(prototype) as well.
  { q.IsSound(params) } -> std::same_as<bool>;

  // Begin, then any number of linearisations at the mean, each given its logit covariance.
  { projector.Begin(q) } -> std::same_as<absl::Status>;
  projector.Project(expansion);
  { sampler.Prepare(q) } -> std::same_as<absl::Status>;
  sampler.Draw(stream, theta);
};

// A Projector that can also be fitted to a minibatch (LocalFull documents the interface): what a
// fitting rule needs of a family.
template <class P>
concept LocalFit = requires(P& p, const P& c, typename P::Posterior& q, Expansion& expansion,
                            const Stream& stream, Vector& theta, double x, bool flag, Index n) {
  { p.Begin(q, n, flag) } -> std::same_as<absl::Status>;
  p.StartCurve();
  p.AddCurve(expansion, x);
  { p.SolveCurve() } -> std::same_as<absl::Status>;
  p.KeepCurve();
  p.Move(x);
  p.Accept();
  p.Revert();
  { c.kl() } -> std::same_as<double>;
  p.Draw(stream, flag, theta);
  { p.Commit(q) } -> std::same_as<absl::Status>;
};

// The weights before this index are known exactly, to a posterior or to a fit of one, so that no
// derivatives by them are asked for.
template <class Q>
Index FirstUncertain(const Q& q) {
  if constexpr (requires { q.first_uncertain(); }) return q.first_uncertain();
  return 0;
}

template <PosteriorType... Qs>
struct PosteriorSet {
  using Variant = std::variant<Qs...>;
  using Projectors = std::tuple<typename Qs::Projector...>;
  using Samplers = std::tuple<typename Qs::Sampler...>;
  using Divergences = std::tuple<typename Qs::Divergence...>;
};

using Posteriors = PosteriorSet<FullGaussian, DiagonalGaussian, LowRankGaussian,
                                BlockDiagonalGaussian, KroneckerGaussian, LastLayerGaussian,
                                SubnetworkGaussian, PointMass, LowRankHiddenGaussian>;
using Posterior = Posteriors::Variant;
using Projectors = Posteriors::Projectors;
using Samplers = Posteriors::Samplers;
using Divergences = Posteriors::Divergences;

}  // namespace prequel
