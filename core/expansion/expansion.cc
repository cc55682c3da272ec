#include "core/expansion/expansion.h"

#include <cmath>
#include <variant>

namespace prequel {
namespace {

template <class M>
typename M::Tape& TapeOf(Tapes& tapes) {
  return std::get<typename M::Tape>(tapes);
}

template <class M>
const typename M::Tape& TapeOf(const Tapes& tapes) {
  return std::get<typename M::Tape>(tapes);
}

template <class M>
Index NumUnits(const M& model) {
  Index units = 0;
  for (Index l = 0; l < model.num_layers(); ++l) units += model.layer(l).outputs;
  return units;
}

}  // namespace

void Expansion::Bind(const Model& model, const Likelihood& likelihood, const Matrix& inputs,
                     const Matrix& targets, const NoiseLevel& noise) {
  model_ = &model;
  likelihood_ = &likelihood;
  inputs_ = &inputs;
  Retarget(targets, noise);
}

void Expansion::Retarget(const Matrix& targets, const NoiseLevel& noise) {
  targets_ = &targets;
  noise_ = &noise;
  if (local_.weights.size() > 0) local_.weights.setOnes(targets.cols());
}

Index Expansion::num_params() const {
  return std::visit([](const auto& model) { return model.num_params(); }, *model_);
}

Index Expansion::num_logits() const {
  return std::visit([](const auto& model) { return model.num_logits(); }, *model_);
}

bool Expansion::linear() const {
  return std::visit([](const auto& model) { return model.kLinear; }, *model_);
}

Index Expansion::curvature_rank() const {
  return std::visit([](const auto& likelihood) { return likelihood.curvature_rank(); },
                    *likelihood_);
}

void Expansion::Forward(const Vector& theta) {
  std::visit(
      [&]<class M>(const M& model) {
        moments_.mean.resize(model.num_logits(), examples());
        model.Forward(theta, *inputs_, TapeOf<M>(tapes_), moments_.mean);
      },
      *model_);
}

void Expansion::Linearize(const Vector& theta, Index first) {
  std::visit(
      [&]<class M>(const M& model) {
        moments_.mean.resize(model.num_logits(), examples());
        model.Forward(theta, *inputs_, TapeOf<M>(tapes_), moments_.mean);
        model.Linearize(theta, TapeOf<M>(tapes_), first);
      },
      *model_);
}

void Expansion::Jacobian(Matrix& out) const {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(model.num_params(), model.num_logits() * examples());
        model.Jacobian(TapeOf<M>(tapes_), out);
      },
      *model_);
}

void Expansion::JacobianRows(const std::vector<Index>& of, Matrix& out) const {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(static_cast<Index>(of.size()), model.num_logits() * examples());
        model.JacobianRows(TapeOf<M>(tapes_), of, out);
      },
      *model_);
}

void Expansion::InputJacobian(const Vector& theta, Matrix& out) const {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(inputs_->rows(), model.num_logits() * examples());
        model.InputJacobian(theta, TapeOf<M>(tapes_), out);
      },
      *model_);
}

void Expansion::MarginalCovariance(const Vector& variances) {
  std::visit(
      [&]<class M>(const M& model) {
        moments_.covariance.resize(model.num_logits(), model.num_logits() * examples());
        model.MarginalCovariance(TapeOf<M>(tapes_), variances, moments_.covariance);
      },
      *model_);
}

void Expansion::MarginalCovariance(const std::vector<KroneckerCovariance>& layers) {
  std::visit(
      [&]<class M>(const M& model) {
        moments_.covariance.resize(model.num_logits(), model.num_logits() * examples());
        model.KroneckerMarginal(TapeOf<M>(tapes_), layers, moments_.covariance);
      },
      *model_);
}

void Expansion::UnitCovariance(const Matrix& t) {
  std::visit(
      [&]<class M>(const M& model) {
        moments_.covariance.resize(model.num_logits(), model.num_logits() * examples());
        model.UnitCovariance(TapeOf<M>(tapes_), t, moments_.covariance);
      },
      *model_);
}

void Expansion::UnitInputs(Index layer, Matrix& out) const {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(model.layer(layer).columns(), examples());
        model.UnitInputs(TapeOf<M>(tapes_), layer, out);
      },
      *model_);
}

void Expansion::Jvp(const Vector& theta, const Vector& v, MatrixRef out) const {
  std::visit([&]<class M>(const M& model) { model.Jvp(theta, TapeOf<M>(tapes_), v, out); },
             *model_);
}

double Expansion::Expect(Expectation expectation) {
  const bool at_mean = expectation == Expectation::kAtMean;
  if (at_mean) moments_.covariance.swap(no_covariance_);
  std::visit(
      [&](const auto& likelihood) { likelihood.Expand(moments_, *targets_, *noise_, local_); },
      *likelihood_);
  if (at_mean) moments_.covariance.swap(no_covariance_);
  if ((local_.weights.array() != 1).any()) WeighRows();
  return local_.log_density;
}

void Expansion::WeighRows() {
  const Index rank = curvature_rank();
  for (Index i = 0; i < examples(); ++i) {
    local_.score.col(i) *= local_.weights[i];
    local_.root.middleCols(i * rank, rank) *= std::sqrt(local_.weights[i]);
  }
}

void Expansion::Gradient(Vector& out) {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(model.num_params());
        model.GradientSum(TapeOf<M>(tapes_), local_.score, out);
      },
      *model_);
}

void Expansion::CurvatureDiagonal(Vector& out) {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(model.num_params());
        model.CurvatureDiagonal(TapeOf<M>(tapes_), local_.root, out);
      },
      *model_);
}

void Expansion::CurvatureFactors(std::vector<KroneckerFactors>& out) {
  std::visit(
      [&]<class M>(const M& model) { model.CurvatureFactors(TapeOf<M>(tapes_), local_.root, out); },
      *model_);
}

void Expansion::UnitScores(Matrix& out) {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(NumUnits(model), examples());
        model.UnitScores(TapeOf<M>(tapes_), local_.score, out);
      },
      *model_);
}

void Expansion::UnitCurvatures(Matrix& out) {
  std::visit(
      [&]<class M>(const M& model) {
        out.resize(NumUnits(model), examples());
        model.UnitCurvatures(TapeOf<M>(tapes_), local_.root, out);
      },
      *model_);
}

void Expansion::BackPropagate(const Vector& theta, Vector& gradient) {
  std::visit(
      [&]<class M>(const M& model) {
        gradient.resize(model.num_params());
        model.VjpSum(theta, TapeOf<M>(tapes_), local_.score, gradient);
      },
      *model_);
}

void Expansion::BackPropagateSquares(const Vector& theta, Vector& gradient, Vector& squares) {
  std::visit(
      [&]<class M>(const M& model) {
        gradient.resize(model.num_params());
        squares.resize(model.num_params());
        model.VjpSquares(theta, TapeOf<M>(tapes_), local_.score, gradient, squares);
      },
      *model_);
}

void Expansion::BackPropagateCurvature(const Vector& theta, Vector& gradient, Vector& diagonal) {
  std::visit(
      [&]<class M>(const M& model) {
        gradient.resize(model.num_params());
        diagonal.resize(model.num_params());
        model.VjpCurvature(theta, TapeOf<M>(tapes_), local_.score, local_.root, gradient, diagonal);
      },
      *model_);
}

void Expansion::BackPropagateFactors(const Vector& theta, Vector& gradient,
                                     std::vector<KroneckerFactors>& factors) {
  std::visit(
      [&]<class M>(const M& model) {
        gradient.resize(model.num_params());
        model.VjpFactors(theta, TapeOf<M>(tapes_), local_.score, gradient, factors);
      },
      *model_);
}

}  // namespace prequel
