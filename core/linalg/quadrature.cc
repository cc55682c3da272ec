#include "core/linalg/quadrature.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace prequel {
namespace {

// The orthonormal Hermite polynomials h_0 … h_n of N(0, 1) at x:
//   h_{j+1} = (x h_j − √j h_{j−1})/√(j+1),  h_n' = √n h_{n−1}
struct Hermite {
  double last, previous;  // h_n, h_{n−1}
  double energy;          // Σ_{j<n} h_j²
};

Hermite EvaluateHermite(Index n, double x) {
  Hermite h{1, 0, 0};
  for (Index j = 0; j < n; ++j) {
    const auto order = static_cast<double>(j);
    h.energy += h.last * h.last;
    const double next = (x * h.last - std::sqrt(order) * h.previous) / std::sqrt(order + 1);
    h.previous = h.last;
    h.last = next;
  }
  return h;
}

}  // namespace

// Golub and Welsch 1969: the nodes are the eigenvalues of the Jacobi matrix, here polished by
// Newton's method. The weights are 1/Σ_{j<n} h_j²: a sum of squares, accurate where the squared
// eigenvector components are lost in rounding.
GaussHermite<Eigen::Dynamic> MakeGaussHermite(Index count) {
  const Vector diagonal = Vector::Zero(count);
  const Vector off_diagonal =
      Vector::LinSpaced(count - 1, 1, static_cast<double>(count - 1)).cwiseSqrt();
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal, Eigen::EigenvaluesOnly);
  GaussHermite<Eigen::Dynamic> rule{solver.eigenvalues(), Eigen::ArrayXd(count)};
  for (double& node : rule.nodes) {
    for (int step = 0; step < 3; ++step) {
      const Hermite h = EvaluateHermite(count, node);
      node -= h.last / (std::sqrt(static_cast<double>(count)) * h.previous);
    }
  }
  rule.nodes = (0.5 * (rule.nodes - rule.nodes.reverse())).eval();
  for (Index k = 0; k < count; ++k) {
    rule.weights[k] = 1 / EvaluateHermite(count, rule.nodes[k]).energy;
  }
  rule.weights /= rule.weights.sum();
  return rule;
}

const GaussHermite<kQuadratureNodes>& NormalQuadrature() {
  static const GaussHermite<kQuadratureNodes> kRule = [] {
    const GaussHermite<Eigen::Dynamic> rule = MakeGaussHermite(kQuadratureNodes);
    return GaussHermite<kQuadratureNodes>{rule.nodes, rule.weights};
  }();
  return kRule;
}

}  // namespace prequel
