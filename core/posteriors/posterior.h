// The closed set of posterior families. Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/block_diagonal_gaussian.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/posteriors/local_block_diagonal.h"
#include "core/posteriors/local_diagonal.h"
#include "core/posteriors/local_full.h"
#include "core/posteriors/local_low_rank.h"
#include "core/posteriors/local_low_rank_hidden.h"
#include "core/posteriors/local_per_unit.h"
#include "core/posteriors/local_subset.h"
#include "core/posteriors/low_rank_gaussian.h"
#include "core/posteriors/low_rank_hidden_gaussian.h"
#include "core/posteriors/per_unit_gaussian.h"
#include "core/posteriors/point_mass.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/posteriors/subset_gaussian.h"
#include "core/random/philox.h"

namespace prequel {

// A posterior is plain data. What it says of the logits of a minibatch is its Projector's to work
// out, its draws are its Sampler's to make, and its Divergence has Kl(q, p), nats, if there is one:
// all three are scratch. Nothing allocates once grown. It need not declare what PosteriorDefaults
// declares for it.
template <class Q>
concept PosteriorType = std::copyable<Q> && std::derived_from<Q, PosteriorDefaults> &&
    requires(const Q& q, Q& prototype, const Vector& v, Index params, Options& options,
             const Layers& layers, typename Q::Projector& projector, typename Q::Sampler& sampler,
             typename Q::Divergence& divergence, Expansion& expansion, const Stream& stream,
             Vector& theta, const Carrying& carrying, CarryingScratch& scratch) {
  { Q::kName } -> std::convertible_to<std::string_view>;
  { Q::kHasVariance } -> std::convertible_to<bool>;
  { Q::kIsVectors } -> std::convertible_to<bool>;
  { Q::kDiffuses } -> std::convertible_to<bool>;
  { Q::kIsDense } -> std::convertible_to<bool>;
  { Q::kIsOfUnits } -> std::convertible_to<bool>;
  { prototype.Configure(options, layers) } -> std::same_as<absl::Status>;
  { q.CheckSize(params) } -> std::same_as<absl::Status>;
  { q.CheckPrior(v) } -> std::same_as<absl::Status>;
  // FromDiagonal makes a posterior of the prior's mean and variances; it is called on a prototype,
  // which gives it the shape.
  { q.FromDiagonal(v, v) } -> std::same_as<Q>;
  { q.mean } -> std::convertible_to<const Vector&>;
  { q.size() } -> std::same_as<Index>;
  { q.first_uncertain() } -> std::same_as<Index>;
  { q.num_correlated() } -> std::same_as<Index>;
  { q.rank() } -> std::same_as<Index>;
  // How many numbers one over the weights of `layers` keeps beside its mean; of a prototype as
  // well.
  { q.SpreadNumbers(layers) } -> std::same_as<double>;
  { q.anchor() } -> std::same_as<Anchor>;
  { q.IsFinite() } -> std::same_as<bool>;
  // IsSound: whether a decoded value is one that an update of D = params weights could have left.
  { q.IsSound(params) } -> std::same_as<bool>;
  { q.HasShapeOf(q) } -> std::same_as<bool>;
  // Carry says what it has learned in new units. INTERNAL when it cannot.
  { prototype.Carry(carrying, scratch) } -> std::same_as<absl::Status>;

  // Begin, then any number of linearisations at the mean, each given its logit covariance.
  { projector.Begin(q) } -> std::same_as<absl::Status>;
  projector.Project(expansion);
  { sampler.Prepare(q) } -> std::same_as<absl::Status>;
  sampler.Draw(stream, theta);
  { divergence.Kl(q, q) } -> std::convertible_to<std::optional<double>>;
};

// Diffuse drifts: P ← diag(√k) P diag(√k) + diag(a), of D weights each; 0 < k ≤ 1, a ≥ 0.
template <class Q>
concept Diffusive = Q::kDiffuses && requires(Q& q, const Vector& v, Matrix& scratch) {
  q.Diffuse(v, v, scratch);
};

// A VectorPosterior, which storage may round to floats, says what must stay above 0.
template <class Q>
concept VectorPosterior = Q::kIsVectors && requires(const Q& q) {
  { q.least_positive() } -> std::same_as<double>;
};

// A Projector that can also be fitted to a minibatch (LocalFull documents the interface): what a
// fitting rule needs of a family.
template <class P>
concept LocalFit = requires(P& p, const P& c, typename P::Posterior& q, Expansion& expansion,
                            const Stream& stream, Vector& theta, double x, bool flag, Index n) {
  { p.Begin(q, n, flag) } -> std::same_as<absl::Status>;
  { c.first_uncertain() } -> std::same_as<Index>;
  { c.CheckRoom() } -> std::same_as<absl::Status>;
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

template <PosteriorType... Qs>
requires((Qs::kDiffuses <= Diffusive<Qs> &&
          Qs::kIsVectors <= VectorPosterior<Qs>)&&...) struct PosteriorSet {
  using Variant = std::variant<Qs...>;
  using Projectors = std::tuple<typename Qs::Projector...>;
  using Samplers = std::tuple<typename Qs::Sampler...>;
  using Divergences = std::tuple<typename Qs::Divergence...>;
};

using Posteriors =
    PosteriorSet<FullGaussian, DiagonalGaussian, LowRankGaussian, BlockDiagonalGaussian,
                 KroneckerGaussian, LastLayerGaussian, SubnetworkGaussian, PointMass,
                 LowRankHiddenGaussian, PerUnitGaussian>;
using Posterior = Posteriors::Variant;
using Projectors = Posteriors::Projectors;
using Samplers = Posteriors::Samplers;
using Divergences = Posteriors::Divergences;

// How many numbers a posterior like `prototype` over the weights of `layers` keeps.
inline double StoredNumbers(const Posterior& prototype, const Layers& layers) {
  return static_cast<double>(NumParams(layers)) +
         std::visit([&](const auto& q) { return q.SpreadNumbers(layers); }, prototype);
}

}  // namespace prequel
