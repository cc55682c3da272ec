#include "core/posteriors/row_filter.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

constexpr double kLeastRoot = 1e-30;  // over a block, so that R⁻¹ stays finite

}  // namespace

Index RowFilter::BlockRows(Index rows, const Vector& root) {
  const double least = std::max(root.minCoeff(), 1e-300);
  const double most = least < 1 ? std::log(kLeastRoot) / std::log(least) : HUGE_VAL;
  return std::clamp<Index>(static_cast<Index>(std::min<double>(most, kMostInBlock)), 1, rows);
}

void RowFilter::Begin(const FullGaussian& prior, const Matrix& rows, const RowDrift& drift,
                      const Matrix* products, FullGaussian& next) {
  rows_ = &rows;
  products_ = products;
  drift_ = &drift;
  q_ = &next;
  next.mean = prior.mean;
  next.covariance = prior.covariance;
  row_ = in_block_ = 0;
  block_rows_ = drift.root.cols();
  for (Matrix* block : {&scaled_, &gains_, &learned_}) block->resize(rows.rows(), block_rows_);
  gain_.resize(rows.rows());
  overlap_.resize(block_rows_);
}

// Drift drifts for `rows` rows. REQUIRES: at least one.
void RowFilter::Drift(Index rows) {
  const auto root = drift_->root.col(rows - 1).array();
  Matrix& covariance = q_->covariance;
  const Index size = covariance.rows();
  for (Index j = 0; j < size; ++j) {
    covariance.col(j).tail(size - j).array() *= root.tail(size - j) * root[j];
  }
  covariance.diagonal() += drift_->added.col(rows - 1);
}

void RowFilter::CloseBlock() {
  auto covariance = q_->covariance.selfadjointView<Eigen::Lower>();
  if (in_block_ == 1) {
    covariance.rankUpdate(learned_.col(0), -1);
  } else {
    covariance.rankUpdate(learned_.leftCols(in_block_), -1);
  }
}

// MultiplyBlock makes P₀ R x of the rows of a block. Of the first it is R₁ (P Rʲ x) + A₁ (Rʲ⁻¹ x),
// with P before the first row's drift.
void RowFilter::MultiplyBlock(Index count) {
  const Index rest = count - 1;
  scaled_.col(0) = rows_->col(row_);
  scaled_.middleCols(1, rest) =
      rows_->middleCols(row_ + 1, rest).cwiseProduct(drift_->root.leftCols(rest));
  auto gains = gains_.leftCols(count);
  const auto scaled = scaled_.leftCols(count);
  if (row_ == 0 && products_ != nullptr) {
    gains = products_->leftCols(count).array().colwise() * drift_->root.col(0).array() +
            scaled.array().colwise() * drift_->added.col(0).array();
  } else {
    gains.noalias() = q_->covariance.selfadjointView<Eigen::Lower>() * scaled;
  }
}

// Advance: the first row of a block has R = I and A = 0.
void RowFilter::Advance() {
  const auto covariance = q_->covariance.selfadjointView<Eigen::Lower>();
  const auto x = rows_->col(row_);
  if (row_ == 0 || in_block_ == block_rows_) {
    if (row_ > 0) CloseBlock();
    Drift(row_ == 0 ? 1 : in_block_);
    in_block_ = 0;
    const Index count = std::min(block_rows_, rows_->cols() - row_);
    if (count == 1) {
      gain_.noalias() = covariance * x;
    } else {
      MultiplyBlock(count);
      gain_ = gains_.col(0);
    }
  } else {
    const auto so_far = learned_.leftCols(in_block_);
    auto overlap = overlap_.head(in_block_);
    overlap.noalias() = so_far.transpose() * scaled_.col(in_block_);
    gain_ = gains_.col(in_block_);
    gain_.noalias() -= so_far * overlap;
    gain_ = gain_.cwiseProduct(drift_->root.col(in_block_ - 1)) +
            drift_->added.col(in_block_ - 1).cwiseProduct(x);
  }
  ++row_;
  ++in_block_;
  mean_ = q_->mean.dot(x);
  variance_ = gain_.dot(x);
}

void RowFilter::Learn(double gradient, double curvature) {
  q_->mean += gradient * gain_;
  const double share = std::sqrt(curvature / (1 + curvature * variance_));
  if (in_block_ == 1) {
    learned_.col(0) = share * gain_;
  } else {
    learned_.col(in_block_ - 1) = share * gain_.cwiseQuotient(drift_->root.col(in_block_ - 2));
  }
}

void RowFilter::Finish() {
  CloseBlock();
  if (in_block_ > 1) Drift(in_block_ - 1);
}

void RowForecast::Of(const FullGaussian& q, ConstMatrixRef rows, const RowDrift& drift,
                     MatrixRef mean, MatrixRef variance) {
  const Index count = rows.cols();
  scaled_.resize(rows.rows(), count);
  products_.resize(rows.rows(), count);
  if (drift.root.cols() == 1) {
    scaled_ = rows.array().colwise() * drift.root.col(0).array();
    variance.row(0).noalias() = drift.added.col(0).transpose() * rows.cwiseAbs2();
  } else {
    scaled_ = rows.cwiseProduct(drift.root);
    variance = drift.added.cwiseProduct(rows.cwiseAbs2()).colwise().sum();
  }
  products_.noalias() = q.covariance.selfadjointView<Eigen::Lower>() * scaled_;
  variance += products_.cwiseProduct(scaled_).colwise().sum();
  mean.row(0).noalias() = q.mean.transpose() * rows;
}

}  // namespace prequel
