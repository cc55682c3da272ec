// A full Gaussian over the weights of a linear model of one logit while it goes through the rows of
// a minibatch one by one and drifts before each: the extended Kalman filter.
#pragma once

#include "core/linalg/types.h"
#include "core/posteriors/full_gaussian.h"

namespace prequel {

// RowDrift is what some rows of drift make of a covariance, P ← R P R + A with diagonal R and A:
// column j of both is of j + 1 rows. D × rows.
struct RowDrift {
  Matrix root, added;
};

// RowFilter lets the covariance drift for one row before each row x. With g = P x the logit is then
// N(m·x, v), v = x·g, of which a likelihood worth the gradient a and the curvature w makes
//   m ← m + a g,    P ← P − w/(1 + w v) g gᵀ
// Both P x and the change of P are left to whole blocks of rows, which are matrix products: within
// a block that began with P₀, at row j of it, with the scale R = √c and the added variances A of j
// rows,
//   P = R (P₀ − U Uᵀ) R + A,    g = R (P₀ R x − U Uᵀ R x) + A x
// where U has a column R⁻¹ g (w/(1 + w v))^{1/2} for each row of the block so far. It is the same
// to rounding. 3D² flops a row. Allocates nothing once grown.
class RowFilter {
 public:
  using Posterior = FullGaussian;  // that it filters

  // BlockRows is how many rows a block has, given how many there are: what Begin needs the drift
  // of. `root` is R of one row, for every weight.
  static Index BlockRows(Index rows, const Vector& root);

  static constexpr Index kMostInBlock = 16;

  // Begin sets q := `prior`, written to `next`. `rows` (D × B) are the x, in turn; they, the drift
  // and `next` must outlive the use. A drift of one column may be another one before each Advance.
  // `products`, of the prior's P, are P Rʲ x of the first rows j = 1, 2, …, as RowForecast has
  // found them: of the first block or more. Null: they are not known.
  void Begin(const FullGaussian& prior, const Matrix& rows, const RowDrift& drift,
             const Matrix* products, FullGaussian& next);

  // Advance drifts to the next row. REQUIRES: there is one.
  void Advance();
  double mean() const { return mean_; }          // m·x of that row
  double variance() const { return variance_; }  // v
  // Learn learns that row: once.
  void Learn(double gradient, double curvature);

  // Finish completes `next`.
  void Finish();

 private:
  void CloseBlock();
  void Drift(Index rows);
  void MultiplyBlock(Index count);

  const Matrix* rows_ = nullptr;
  const Matrix* products_ = nullptr;
  FullGaussian* q_ = nullptr;
  Index row_ = 0;         // how many have been advanced to
  Index in_block_ = 0;    // how many of them are of this block
  Index block_rows_ = 0;  // of any block but the last
  const RowDrift* drift_ = nullptr;
  Matrix scaled_;   // D × block: R x
  Matrix gains_;    // P₀ R x
  Matrix learned_;  // U
  Vector gain_, overlap_;
  double mean_ = 0, variance_ = 0;
};

// RowForecast is what a minibatch is predicted as: mean_i = m·x_i and variance_i = x_iᵀ P x_i, both
// 1 × B, with P after the drift of column i; or after that of the one column, where there is but
// one.
class RowForecast {
 public:
  void Of(const FullGaussian& q, ConstMatrixRef rows, const RowDrift& drift, MatrixRef mean,
          MatrixRef variance);

  // products returns, of the last call, P R x, D × B, with P before the drift.
  const Matrix& products() const { return products_; }

 private:
  Matrix scaled_, products_;  // D × B
};

}  // namespace prequel
