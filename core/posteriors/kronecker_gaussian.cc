#include "core/posteriors/kronecker_gaussian.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/config/learner_config.h"
#include "core/posteriors/part_sizes.h"

namespace prequel {
namespace {

// Decompose finds eigenpairs of a positive semidefinite matrix, of which the lower triangle is
// read: what rounding makes negative is 0.
absl::Status Decompose(const Matrix& lower, Matrix& basis, Vector& values) {
  const auto not_finite = [] {
    return absl::InternalError("the Kronecker factors of the curvature are not finite");
  };
  if (!lower.allFinite()) return not_finite();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(lower);
  if (solver.info() != Eigen::Success) return not_finite();
  basis = solver.eigenvectors();
  values = solver.eigenvalues().cwiseMax(0);
  return absl::OkStatus();
}

void CovariancesOf(const KroneckerGaussian& q, std::vector<KroneckerCovariance>& out) {
  out.resize(q.layers.size());
  for (std::size_t l = 0; l < out.size(); ++l) q.layers[l].CovarianceTo(out[l]);
}

// TraceOfRatio is tr(Λ_p P_q) of one layer, with M = Q_Apᵀ D_p^{1/2} V_q and R = Q_Spᵀ Q_Sq:
//   Σ_ij E_ji (Σ_k M_ki² + Σ_k λ_pk M_ki² · Σ_k μ_pk R_kj²)
double TraceOfRatio(const KroneckerGaussian::Layer& p, const KroneckerCovariance& q) {
  const Matrix inputs =
      p.input_basis.transpose() * (p.prior.cwiseSqrt().asDiagonal() * q.input_basis);
  const Matrix outputs = p.output_basis.transpose() * q.output_basis;
  const Vector plain = inputs.colwise().squaredNorm();
  const Vector curved = inputs.cwiseAbs2().transpose() * p.input_values;
  const Vector scales = outputs.cwiseAbs2().transpose() * p.output_values;
  return q.variances.colwise().sum().dot(plain) + scales.dot(q.variances * curved);
}

// log|P⁻¹|.
double LogDeterminant(const KroneckerGaussian::Layer& layer) {
  double sum = static_cast<double>(layer.outputs()) * layer.prior.array().log().sum();
  for (Index i = 0; i < layer.columns(); ++i) {
    sum += (layer.input_values[i] * layer.output_values.array()).log1p().sum();
  }
  return sum;
}

bool SamePrecision(const KroneckerGaussian::Layer& a, const KroneckerGaussian::Layer& b) {
  return a.prior == b.prior && a.input_values == b.input_values &&
         a.output_values == b.output_values && a.input_basis == b.input_basis &&
         a.output_basis == b.output_basis;
}

// xᵀ P⁻¹ x = Σ_ij (1 + λ_i μ_j) (Q_Sᵀ X D^{1/2} Q_A)_ji².
double Energy(const KroneckerGaussian::Layer& layer, ConstVectorRef x) {
  const Eigen::Map<const Matrix> columns(x.data(), layer.outputs(), layer.columns());
  const Matrix rotated = layer.output_basis.transpose() *
                         (columns * layer.prior.cwiseSqrt().asDiagonal() * layer.input_basis);
  const Matrix squares = rotated.cwiseAbs2();
  return squares.sum() + layer.output_values.dot(squares * layer.input_values);
}

}  // namespace

absl::Status KroneckerGaussian::Layer::Assign(ConstVectorRef d, ConstMatrixRef a,
                                              ConstMatrixRef s) {
  prior = d;
  const Vector scale = d.cwiseSqrt().cwiseInverse();
  absl::Status status =
      Decompose(scale.asDiagonal() * a * scale.asDiagonal(), input_basis, input_values);
  return status.ok() ? Decompose(s, output_basis, output_values) : status;
}

void KroneckerGaussian::Layer::CovarianceTo(KroneckerCovariance& out) const {
  out.input_basis = prior.cwiseSqrt().cwiseInverse().asDiagonal() * input_basis;
  out.output_basis = output_basis;
  out.variances.resize(outputs(), columns());
  out.variances.noalias() = output_values * input_values.transpose();
  out.variances.array() = (1 + out.variances.array()).inverse();
}

bool KroneckerGaussian::Layer::IsFinite() const {
  const auto in_range = [](const Vector& values) {
    return values.allFinite() && (values.size() == 0 || values.minCoeff() >= 0);
  };
  return in_range(prior) && (prior.array() > 0).all() && in_range(input_values) &&
         in_range(output_values) && input_basis.allFinite() && output_basis.allFinite();
}

absl::Status KroneckerGaussian::Configure(Options& options, const Layers& of) {
  options.Describe("two factors for each layer", "squares of layers' widths, up to 2048 each");
  layers.resize(of.size());
  for (std::size_t l = 0; l < of.size(); ++l) {
    layers[l].input_basis.resize(of[l].columns(), 0);
    layers[l].output_basis.resize(of[l].outputs, 0);
  }
  return options.Finish();
}

absl::Status KroneckerGaussian::CheckSize(Index params) const {
  absl::Status status = PosteriorDefaults::CheckSize(params);
  if (!status.ok()) return status;
  PartSizes sizes;
  for (const Layer& layer : layers) {
    sizes.Add(layer.columns());
    sizes.Add(layer.outputs());
  }
  return sizes.Check(kName, ConfigLimits::kMaxKroneckerWidth);
}

absl::Status KroneckerGaussian::CheckPrior(const Vector& variances) const {
  Index offset = 0, number = 0;
  for (const Layer& layer : layers) {
    ++number;
    const Eigen::Map<const Matrix> columns(variances.data() + offset, layer.outputs(),
                                           layer.columns());
    for (Index o = 1; o < layer.outputs(); ++o) {
      if (columns.row(o) == columns.row(0)) continue;
      return FieldError("config.prior",
                        absl::StrCat("has variances of layer ", number,
                                     " that differ among the weights of one input, which posterior "
                                     "\"kronecker\" cannot hold: make them equal, or use posterior "
                                     "\"diagonal\""));
    }
    offset += layer.size();
  }
  return absl::OkStatus();
}

KroneckerGaussian KroneckerGaussian::FromDiagonal(const Vector& prior_mean,
                                                  const Vector& variances) const {
  KroneckerGaussian q;
  q.mean = prior_mean;
  Index offset = 0;
  for (const Layer& layer : layers) {
    const Index columns = layer.columns(), outputs = layer.outputs();
    const Eigen::Map<const Matrix> of_layer(variances.data() + offset, outputs, columns);
    q.layers.push_back({of_layer.row(0).cwiseInverse().transpose(),
                        Matrix::Identity(columns, columns), Vector::Zero(columns),
                        Matrix::Identity(outputs, outputs), Vector::Zero(outputs)});
    offset += layer.size();
  }
  return q;
}

bool KroneckerGaussian::IsFinite() const {
  return mean.allFinite() && std::all_of(layers.begin(), layers.end(),
                                         [](const Layer& layer) { return layer.IsFinite(); });
}

bool KroneckerGaussian::IsSound(Index params) const {
  Index total = 0;
  for (const Layer& layer : layers) {
    const Index columns = layer.columns(), outputs = layer.outputs();
    if (layer.prior.size() != columns || layer.input_basis.cols() != columns ||
        layer.input_values.size() != columns || layer.output_basis.cols() != outputs ||
        layer.output_values.size() != outputs) {
      return false;
    }
    total += layer.size();
  }
  return mean.size() == params && total == params && IsFinite();
}

// CarryFactors puts A of the first layer and S of the last in new units, of a layer as it is
// before.
absl::Status KroneckerGaussian::CarryFactors(const Carrying& by, std::size_t l) {
  Layer& layer = layers[l];
  const Vector d = layer.prior, root = d.cwiseSqrt();
  Matrix a = root.asDiagonal() * layer.input_basis * layer.input_values.asDiagonal() *
             layer.input_basis.transpose() * root.asDiagonal();
  Matrix s = layer.output_basis * layer.output_values.asDiagonal() * layer.output_basis.transpose();
  if (l == 0) {
    const WeightMap inputs = by.OfInputs();
    for (int side = 0; side < 2; ++side) {
      for (Index j = 0; j < a.cols(); ++j) inputs.TurnBackTransposed(a.col(j));
      a.transposeInPlace();
    }
  }
  if (l + 1 == layers.size()) {
    const Vector back = by.outputs.spread.cwiseInverse();
    s = back.asDiagonal() * s * back.asDiagonal();
  }
  return layer.Assign(d, a, s);
}

absl::Status KroneckerGaussian::Carry(const Carrying& by, CarryingScratch& scratch) {
  Index offset = 0;
  absl::Status status;
  for (std::size_t l = 0; l < layers.size() && status.ok(); ++l) {
    const Index size = layers[l].size();
    auto of_layer = mean.segment(offset, size);
    const auto prior_mean = by.prior_mean.segment(offset, size);
    const auto prior = by.prior_precision.segment(offset, size);
    offset += size;
    const WeightMap map = by.OfLayer(l);
    if (map.IsIdentity()) continue;
    status = CarryFactors(by, l);
    BlockScratch& w = scratch.Of(l);
    map.Apply(of_layer);
    PullToPrior(map, prior_mean, prior, by.stands, of_layer, w);
    KroneckerCovariance covariance;
    layers[l].CovarianceTo(covariance);
    const Eigen::Map<const Matrix> pull(w.pull.data(), layers[l].outputs(), layers[l].columns());
    Eigen::Map<Matrix> moved(w.origin.data(), layers[l].outputs(), layers[l].columns());
    covariance.Multiply(pull, w.inner, moved);
    of_layer += w.origin;
  }
  return status;
}

bool KroneckerGaussian::HasShapeOf(const KroneckerGaussian& other) const {
  return std::equal(layers.begin(), layers.end(), other.layers.begin(), other.layers.end(),
                    [](const Layer& a, const Layer& b) {
                      return a.columns() == b.columns() && a.outputs() == b.outputs();
                    });
}

bool KroneckerGaussian::HasShapeOf(const std::vector<KroneckerFactors>& factors) const {
  const auto alike = [](const KroneckerFactors& f, const Layer& layer) {
    return f.inputs.rows() == layer.columns() && f.cotangents.rows() == layer.outputs();
  };
  return std::equal(factors.begin(), factors.end(), layers.begin(), layers.end(), alike);
}

// 2 KL = tr(Λ_p P_q) − D + log|Λ_q| − log|Λ_p| + δᵀ Λ_p δ. A rule may move the mean alone, many
// steps on end; then the first four terms are 0.
double KroneckerDivergence::Kl(const KroneckerGaussian& q, const KroneckerGaussian& p) {
  moved_ = q.mean - p.mean;
  double sum = 0;
  Index offset = 0;
  for (std::size_t l = 0; l < q.layers.size(); ++l) {
    const KroneckerGaussian::Layer &of_q = q.layers[l], &of_p = p.layers[l];
    if (!SamePrecision(of_q, of_p)) {
      of_q.CovarianceTo(covariance_);
      sum += TraceOfRatio(of_p, covariance_) - static_cast<double>(of_q.size()) +
             LogDeterminant(of_q) - LogDeterminant(of_p);
    }
    sum += Energy(of_p, moved_.segment(offset, of_q.size()));
    offset += of_q.size();
  }
  return 0.5 * sum;
}

absl::Status KroneckerProjector::Begin(const KroneckerGaussian& posterior) {
  CovariancesOf(posterior, covariances_);
  return absl::OkStatus();
}

absl::Status KroneckerSampler::Prepare(const KroneckerGaussian& posterior) {
  mean_ = posterior.mean;
  CovariancesOf(posterior, covariances_);
  return absl::OkStatus();
}

void KroneckerSampler::Draw(const Stream& stream, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  theta = mean_;
  Index offset = 0;
  for (const KroneckerCovariance& p : covariances_) {
    const Index rows = p.variances.rows(), columns = p.variances.cols();
    p.Deviate(Eigen::Map<Matrix>(normal_.data() + offset, rows, columns), scratch_,
              Eigen::Map<Matrix>(theta.data() + offset, rows, columns));
    offset += rows * columns;
  }
}

double KroneckerGaussian::SpreadNumbers(const Layers& layers) {
  double sum = 0;
  for (const DenseLayer& layer : layers) {
    sum += SquareOf(layer.columns()) + SquareOf(layer.outputs) +
           static_cast<double>(2 * layer.columns() + layer.outputs);
  }
  return sum;
}

}  // namespace prequel
