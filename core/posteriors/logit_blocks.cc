#include "core/posteriors/logit_blocks.h"

namespace prequel {

void ScaleByRoots(ConstMatrixRef columns, ConstMatrixRef roots, double factor, MatrixRef out) {
  const Index logits = roots.rows();
  if (logits == 1) {
    out = columns * (factor * roots.row(0)).asDiagonal();
    return;
  }
  const Index examples = columns.cols() / logits;
  const Index rank = roots.cols() / examples;
  for (Index i = 0; i < examples; ++i) {
    out.middleCols(i * rank, rank).noalias() =
        columns.middleCols(i * logits, logits) * (factor * roots.middleCols(i * rank, rank));
  }
}

void BlockProducts(ConstMatrixRef left, ConstMatrixRef right, Index logits, double sign,
                   bool accumulate, Matrix& out) {
  if (!accumulate) out.setZero(logits, left.cols());
  if (logits == 1) {
    out.row(0) += sign * left.cwiseProduct(right).colwise().sum();
    return;
  }
  for (Index i = 0; i < left.cols() / logits; ++i) {
    out.middleCols(i * logits, logits).noalias() +=
        sign *
        (left.middleCols(i * logits, logits).transpose() * right.middleCols(i * logits, logits));
  }
}

}  // namespace prequel
