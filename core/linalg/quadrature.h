// Gauss–Hermite quadrature for expectations over a standard normal.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

inline constexpr Index kQuadratureNodes = 20;

// E[h(Z)] ≈ Σ_k weights[k] h(nodes[k]), Z ~ N(0, 1): exact when h is a polynomial of degree at most
// 2n − 1. Nodes ascend, node k is exactly −node n−1−k, and the weights sum to 1.
template <int N>
struct GaussHermite {
  Eigen::Array<double, N, 1> nodes, weights;
};

GaussHermite<Eigen::Dynamic> MakeGaussHermite(Index count);

// The rule with kQuadratureNodes nodes, computed once.
const GaussHermite<kQuadratureNodes>& NormalQuadrature();

}  // namespace prequel
