#include "core/models/linear.h"

#include "core/models/dense.h"

namespace prequel {

absl::Status Linear::Configure(Options& options, Index inputs, Index outputs) {
  options.Describe("linear in the encoded inputs, an output for each logit",
                   "a weight for each input of each output, and intercepts");
  layer_ = {0, inputs, outputs, true};
  options.Help("whether there is an intercept").Bool("bias", &layer_.has_bias);
  return options.Finish();
}

void Linear::Initialize(const Stream&, VectorRef theta) const { theta.setZero(); }

void Linear::Forward(ConstVectorRef theta, ConstMatrixRef x, Tape& tape, MatrixRef logits) const {
  Buffer::View input = tape.input.Resize(x.rows(), x.cols());
  input = x;
  tape.squares.Reset();
  Affine(layer_, theta, input, logits);
}

void Linear::Linearize(ConstVectorRef, Tape&, Index) const {}

void Linear::Jacobian(const Tape& tape, MatrixRef jacobian) const {
  OutputJacobian(layer_, tape.input.view(), jacobian);
}

void Linear::JacobianRows(const Tape& tape, const std::vector<Index>& of, MatrixRef rows) const {
  for (Index k = 0; k < rows.rows(); ++k) {
    OutputJacobianRow(layer_, of[static_cast<std::size_t>(k)], tape.input.view(), k, rows);
  }
}

void Linear::InputJacobian(ConstVectorRef theta, const Tape& tape, MatrixRef jacobian) const {
  const Index examples = tape.input.cols();
  for (Index c = 0; c < layer_.outputs; ++c) {
    jacobian.middleCols(c * examples, examples).colwise() =
        Weights(layer_, theta).row(c).transpose();
  }
}

void Linear::MarginalCovariance(const Tape& tape, ConstVectorRef variances,
                                MatrixRef covariance) const {
  Buffer::View t = tape.output.Resize(layer_.outputs, tape.input.cols());
  tape.squares.Affine(layer_, variances, tape.input.view(), t);
  SetDiagonalBlocks(t, covariance);
}

void Linear::GradientSum(Tape& tape, ConstMatrixRef u, VectorRef gradient) const {
  OuterSum(layer_, u, tape.input.view(), gradient);
}

void Linear::CurvatureDiagonal(Tape& tape, ConstMatrixRef roots, VectorRef diagonal) const {
  Buffer::View s = tape.output.Resize(layer_.outputs, tape.input.cols());
  RowSquares(roots, s);
  tape.squares.OuterSum(layer_, s, tape.input.view(), diagonal);
}

void Linear::CurvatureFactors(Tape& tape, ConstMatrixRef roots,
                              std::vector<KroneckerFactors>& factors) const {
  factors.resize(1);
  SumInputs(layer_, tape.input.view(), factors[0].inputs);
  SumCotangents(roots, factors[0].cotangents);
}

void Linear::KroneckerMarginal(const Tape& tape,
                               const std::vector<KroneckerCovariance>& covariances,
                               MatrixRef covariance) const {
  Buffer::View t = tape.output.Resize(layer_.outputs, tape.input.cols());
  RotatedVariances(layer_, tape.input.view(), covariances[0], tape.product, t);
  SetRotatedBlocks(covariances[0].output_basis, t, tape.product, covariance);
}

void Linear::UnitInputs(const Tape& tape, Index, MatrixRef inputs) const {
  WithOnes(layer_, tape.input.view(), inputs);
}

void Linear::UnitScores(Tape&, ConstMatrixRef u, MatrixRef scores) const { scores = u; }

void Linear::UnitCurvatures(Tape&, ConstMatrixRef roots, MatrixRef curvatures) const {
  RowSquares(roots, curvatures);
}

void Linear::UnitCovariance(const Tape&, ConstMatrixRef t, MatrixRef covariance) const {
  SetDiagonalBlocks(t, covariance);
}

void Linear::VjpSum(ConstVectorRef, Tape& tape, ConstMatrixRef u, VectorRef gradient) const {
  OuterSum(layer_, u, tape.input.view(), gradient);
}

void Linear::Jvp(ConstVectorRef, const Tape& tape, ConstVectorRef v, MatrixRef out) const {
  Affine(layer_, v, tape.input.view(), out);
}

void Linear::VjpSquares(ConstVectorRef, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                        VectorRef squares) const {
  OuterSum(layer_, u, tape.input.view(), gradient);
  Buffer::View s = tape.output.Resize(layer_.outputs, tape.input.cols());
  s.array() = u.array().square();
  tape.squares.OuterSum(layer_, s, tape.input.view(), squares);
}

void Linear::VjpCurvature(ConstVectorRef, Tape& tape, ConstMatrixRef u, ConstMatrixRef roots,
                          VectorRef gradient, VectorRef diagonal) const {
  OuterSum(layer_, u, tape.input.view(), gradient);
  CurvatureDiagonal(tape, roots, diagonal);
}

void Linear::VjpFactors(ConstVectorRef, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                        std::vector<KroneckerFactors>& factors) const {
  OuterSum(layer_, u, tape.input.view(), gradient);
  CurvatureFactors(tape, u, factors);
}

}  // namespace prequel
