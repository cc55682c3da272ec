// The closed set of models. Adding one is one new file and one word in the variant.
#pragma once

#include <concepts>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/kronecker.h"
#include "core/models/layer.h"
#include "core/models/linear.h"
#include "core/models/mlp.h"
#include "core/random/philox.h"

namespace prequel {

// f_θ: inputs (D_in × B) to logits (C × B). A model sees neither posterior nor label.
// A Tape remembers what Forward and Linearize computed; it is scratch and belongs to the caller.
// Nothing allocates once the tape has grown to the largest batch. With J_i = ∂f_i/∂θ (C × D):
template <class M>
concept ModelType = requires(M& m, const M& c, typename M::Tape& tape,
                             const typename M::Tape& ctape, Options& options, Index size,
                             ConstVectorRef theta, ConstMatrixRef x, Stream key, MatrixRef matrix,
                             VectorRef vector, const std::vector<Index>& indices,
                             std::vector<KroneckerFactors>& factors,
                             const std::vector<KroneckerCovariance>& covariances) {
  { M::kName } -> std::convertible_to<std::string_view>;
  { M::kLinear } -> std::convertible_to<bool>;  // whether f is linear in θ
  // Reads options; D_in = inputs, C = outputs.
  { m.Configure(options, size, size) } -> std::same_as<absl::Status>;
  { c.num_params() } -> std::same_as<Index>;  // D
  { c.num_logits() } -> std::same_as<Index>;  // C
  // Dense layers, first to last, for priors: offset and shape of weights, then biases.
  { c.num_layers() } -> std::same_as<Index>;
  c.layer(size);
  c.Initialize(key, vector);  // prior mean: zeros (linear) or random weights by fan-in (mlp)

  c.Forward(theta, x, tape, matrix);  // logits: C × B
  // After Forward at the same θ: back-propagates the C unit cotangents of every example, as far as
  // the derivatives by the weights from index `size` on need them.
  c.Linearize(theta, tape, size);

  // After Linearize:
  c.Jacobian(ctape, matrix);               // D × C·B, column i·C + c is row c of J_i
  c.JacobianRows(ctape, indices, matrix);  // those rows of it, of increasing indices
  c.InputJacobian(theta, ctape, matrix);   // ∂f/∂x: D_in × C·B, logit c of row i in c·B + i
  c.MarginalCovariance(ctape, vector, matrix);  // variances (D) → J_i diag(v) J_iᵀ, C × C·B
  c.GradientSum(tape, x, vector);               // u (C × B) → Σ_i J_iᵀ u_i
  // roots (C × R·B, block i is G_i) → Σ_i diag(J_iᵀ G_i G_iᵀ J_i); never per example.
  c.CurvatureDiagonal(tape, x, vector);
  // CurvatureFactors takes roots → A and S = Σ_i Δ_i G_i G_iᵀ Δ_iᵀ of every layer, and
  // KroneckerMarginal P per layer → J_i P J_iᵀ, C × C·B.
  c.CurvatureFactors(tape, x, factors);
  c.KroneckerMarginal(ctape, covariances, matrix);

  // Units are those of the first layer, of the second, …, U in all: with ã_i the inputs of its
  // layer and a 1 for its bias, J_i of the weights into unit j is Δ_{ji} ã_iᵀ, Δ_{ji} ∈ R^C.
  c.UnitInputs(ctape, size, matrix);   // ã of a layer: c × B
  c.UnitScores(tape, x, matrix);       // u (C × B) → Δ_{ji}ᵀ u_i: U × B
  c.UnitCurvatures(tape, x, matrix);   // roots → |G_iᵀ Δ_{ji}|²: U × B
  c.UnitCovariance(ctape, x, matrix);  // t (U × B) → Σ_j t_{ji} Δ_{ji} Δ_{ji}ᵀ, C × C·B

  // After Forward alone:
  c.VjpSum(theta, tape, x, vector);  // u (C × B) → Σ_i J_iᵀ u_i by one back-propagation
  // VjpSquares is VjpSum with Σ_i (J_iᵀ u_i) ∘ (J_iᵀ u_i) beside it, by the same back-propagation.
  c.VjpSquares(theta, tape, x, vector, vector);
  // VjpCurvature has roots (as above) → Σ_i diag(J_iᵀ G_i G_iᵀ J_i) beside it, by back-propagating
  // them too.
  c.VjpCurvature(theta, tape, x, x, vector, vector);
  // VjpFactors has the factors of every layer beside it, δ_i = Δ_i u_i.
  c.VjpFactors(theta, tape, x, vector, factors);
  c.Jvp(theta, ctape, theta, matrix);  // v (D) → J_i v, C × B
};

template <ModelType... Ms>
struct ModelSet {
  using Variant = std::variant<Ms...>;
  using Tapes = std::tuple<typename Ms::Tape...>;
};

using Models = ModelSet<Linear, Mlp>;
using Model = Models::Variant;
using Tapes = Models::Tapes;

inline Layers LayersOf(const Model& model) {
  return std::visit(
      [](const auto& m) {
        Layers layers;
        for (Index l = 0; l < m.num_layers(); ++l) layers.push_back(m.layer(l));
        return layers;
      },
      model);
}

}  // namespace prequel
