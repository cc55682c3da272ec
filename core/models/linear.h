// f = W x + b, θ = [vec W; b].
//   J_i = [x_iᵀ ⊗ I, I],  J_i diag(v) J_iᵀ = diag(V_W (x_i∘x_i) + v_b)
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/buffer.h"
#include "core/linalg/types.h"
#include "core/models/kronecker.h"
#include "core/models/layer.h"
#include "core/models/squares.h"
#include "core/random/philox.h"

namespace prequel {

// Options: bias (default true).
class Linear {
 public:
  static constexpr std::string_view kName = "linear";
  static constexpr bool kLinear = true;

  struct Tape {
    Buffer input;  // D_in × B
    // Scratch of methods that leave the tape's meaning alone.
    mutable Squares squares;  // of input
    mutable Buffer output;    // C × B
    mutable Buffer product;   // fan_in + 1 × B, or C × C
  };

  absl::Status Configure(Options& options, Index inputs, Index outputs);

  Index num_params() const { return layer_.size(); }
  Index num_logits() const { return layer_.outputs; }
  Index num_layers() const { return 1; }
  const DenseLayer& layer(Index) const { return layer_; }
  void Initialize(const Stream& key, VectorRef theta) const;  // zeros

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
  DenseLayer layer_;
};

}  // namespace prequel
