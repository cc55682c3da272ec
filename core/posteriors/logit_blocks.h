// Matrices of which every example has a block of columns, one per logit.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// ScaleByRoots sets out = √w · columns · blockdiag(G_1, …, G_B) for factor = √w: the C columns per
// example of `columns` (rows × C·B) become R columns per example (`roots`: C × R·B). out: rows ×
// R·B.
void ScaleByRoots(ConstMatrixRef columns, ConstMatrixRef roots, double factor, MatrixRef out);

// BlockProducts sets block i of `out` (+)= sign · left_iᵀ right_i, over blocks of `logits` columns.
void BlockProducts(ConstMatrixRef left, ConstMatrixRef right, Index logits, double sign,
                   bool accumulate, Matrix& out);

}  // namespace prequel
