// A_0 = x, Z_ℓ = W_ℓ A_{ℓ−1} + b_ℓ, A_ℓ = φ(Z_ℓ) for ℓ < L, f = Z_L; θ = [vec W_1; b_1; vec W_2;
// …]. Back-propagation of the unit cotangent of logit c:
//   Δ_L^c = e_c,  Δ_{ℓ−1}^c = (W_ℓᵀ Δ_ℓ^c) ∘ φ'(Z_{ℓ−1})
// and with it, summed over layers, without a gradient per example:
//   Σ_i J_iᵀ u_i             W: (Σ_c Δ^c diag(u_c)) Aᵀ
//   Σ_i diag(J_iᵀ G_i G_iᵀ J_i)  W: s (A∘A)ᵀ,  s_{ji} = Σ_r (Σ_c Δ^c_{ji} G_{cr,i})²
//   Σ_i (J_iᵀ u_i)∘(J_iᵀ u_i)  W: (Δ∘Δ) (A∘A)ᵀ,  Δ from u
//   ∂f^c_i/∂x_i                W_1ᵀ Δ_1^c
//   (J_i diag(v) J_iᵀ)_{cc'}   Σ_j Δ^c_{ji} Δ^{c'}_{ji} t_{ji},  t = V_W (A∘A) + v_b
// Covariances and curvatures in Kronecker form (core/models/kronecker.h) are of the same make, with
// Uᵀ Δ for Δ and Vᵀ [A; 1] for A.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/buffer.h"
#include "core/linalg/types.h"
#include "core/models/activation.h"
#include "core/models/kronecker.h"
#include "core/models/layer.h"
#include "core/models/squares.h"
#include "core/random/philox.h"

namespace prequel {

// Options:
//   hidden      widths of the hidden layers, default [32]
//   activation  tanh (default), relu, gelu or identity
class Mlp {
 public:
  static constexpr std::string_view kName = "mlp";
  static constexpr bool kLinear = false;

  struct Tape {
    struct Layer {
      Buffer input;  // A_{ℓ−1}: fan_in × B
      Buffer slope;  // φ'(Z_ℓ): fan_out × B, hidden layers only
      Buffer delta;  // Δ_ℓ: fan_out × C·B, column c·B + i, hidden layers only
      // Scratch of methods that leave the tape's meaning alone.
      mutable Squares squares;  // of input
      mutable Buffer output;    // fan_out × B
      mutable Buffer product;   // fan_out × C, R or B; of Kronecker forms fan_in + 1 × B
      mutable Buffer rotated;   // fan_out × C·B or R·B
    };
    std::vector<Layer> layers;
    Index logits = 0;    // C
    Index examples = 0;  // B
  };

  absl::Status Configure(Options& options, Index inputs, Index outputs);

  Index num_params() const { return num_params_; }
  Index num_logits() const { return layers_.back().outputs; }
  Index num_layers() const { return static_cast<Index>(layers_.size()); }
  const DenseLayer& layer(Index l) const { return layers_[static_cast<std::size_t>(l)]; }
  // Weights N(0, 1/fan_in), biases 0 (LeCun, Bottou, Orr, Müller 1998).
  void Initialize(const Stream& key, VectorRef theta) const;

  void Forward(ConstVectorRef theta, ConstMatrixRef x, Tape& tape, MatrixRef logits) const;
  void Linearize(ConstVectorRef theta, Tape& tape, Index first = 0) const;

  void Jacobian(const Tape& tape, MatrixRef jacobian) const;
  void JacobianRows(const Tape& tape, const std::vector<Index>& of, MatrixRef rows) const;
  void InputJacobian(ConstVectorRef theta, const Tape& tape, MatrixRef jacobian) const;
  void MarginalCovariance(const Tape& tape, ConstVectorRef variances, MatrixRef covariance) const;
  void GradientSum(Tape& tape, ConstMatrixRef u, VectorRef gradient) const;
  void CurvatureDiagonal(Tape& tape, ConstMatrixRef roots, VectorRef diagonal) const;
  void CurvatureFactors(Tape& tape, ConstMatrixRef roots,
                        std::vector<KroneckerFactors>& factors) const;
  void KroneckerMarginal(const Tape& tape, const std::vector<KroneckerCovariance>& covariances,
                         MatrixRef covariance) const;

  void UnitInputs(const Tape& tape, Index l, MatrixRef inputs) const;
  void UnitScores(Tape& tape, ConstMatrixRef u, MatrixRef scores) const;
  void UnitCurvatures(Tape& tape, ConstMatrixRef roots, MatrixRef curvatures) const;
  void UnitCovariance(const Tape& tape, ConstMatrixRef t, MatrixRef covariance) const;

  void VjpSum(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient) const;
  void VjpSquares(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                  VectorRef squares) const;
  void VjpCurvature(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, ConstMatrixRef roots,
                    VectorRef gradient, VectorRef diagonal) const;
  void VjpFactors(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                  std::vector<KroneckerFactors>& factors) const;
  void Jvp(ConstVectorRef theta, const Tape& tape, ConstVectorRef v, MatrixRef out) const;

 private:
  // UnitCotangents is D_i of a hidden layer: fan_out × C, the unit cotangents of example i.
  using UnitCotangents = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  static UnitCotangents CotangentsOf(const Tape& tape, const Buffer& delta, Index example);

  // HiddenJacobianRow writes row k of `rows`: Δ^c_o a_j of a hidden layer's weight (o, j), Δ^c_o of
  // a bias.
  void HiddenJacobianRow(const Tape& tape, std::size_t l, Index index, Index k,
                         MatrixRef rows) const;
  static void AddCovariance(const Tape& tape, std::size_t l, const Buffer& delta,
                            MatrixRef covariance);
  static Buffer::View ThroughRoots(Tape& tape, std::size_t l, ConstMatrixRef roots);
  // ForEachHidden calls visit(layer ℓ, the rows that are its units') for every layer except that of
  // the outputs, first to last.
  template <class Rows, class Visit>
  void ForEachHidden(Rows&& rows, const Visit& visit) const;
  static Buffer::View Combined(Tape& tape, std::size_t l, ConstMatrixRef u);
  Buffer::View SquaresThroughRoots(Tape& tape, std::size_t l, ConstMatrixRef roots) const;
  void BackPropagateRoots(ConstVectorRef theta, const Tape& tape, ConstMatrixRef roots, Index at,
                          Index n) const;

  std::vector<DenseLayer> layers_ = {DenseLayer{}};
  Activation activation_ = Activation::kTanh;
  Index num_params_ = 0;
};

}  // namespace prequel
