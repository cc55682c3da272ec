// The curvature of an expansion, densely.
#pragma once

#include "core/expansion/expansion.h"

namespace prequel {

// J_G = [J_iᵀ G_i] (D × R·B): the curvature is J_G J_Gᵀ. REQUIRES: Linearize, Expect.
inline Matrix WeightedJacobian(const Expansion& expansion) {
  Matrix jacobian;
  expansion.Jacobian(jacobian);
  const Index c = expansion.num_logits(), r = expansion.curvature_rank();
  Matrix out(jacobian.rows(), r * expansion.examples());
  for (Index i = 0; i < expansion.examples(); ++i) {
    out.middleCols(i * r, r) =
        jacobian.middleCols(i * c, c) * expansion.local().root.middleCols(i * r, r);
  }
  return out;
}

}  // namespace prequel
