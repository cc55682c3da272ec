#include "core/distributions/half_hypercube.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/linalg/special.h"
#include "core/random/philox.h"

namespace prequel {
namespace {

Matrix Strata(Index count, Index dimensions) {
  Matrix normals(count, dimensions);
  Vector uniforms(2 * count);
  for (Index c = 0; c < dimensions; ++c) {
    FillUniform(Stream{0, 0, static_cast<std::uint32_t>(c)}, uniforms);
    for (Index k = 0; k < count; ++k) {
      const double level = 0.5 + (static_cast<double>(k) + 0.5) / static_cast<double>(2 * count);
      normals(k, c) = NormalQuantile(level) * (uniforms[k] < 0.5 ? -1 : 1);
    }
    for (Index k = count - 1; k > 0; --k) {  // Fisher and Yates
      const auto other = static_cast<Index>(uniforms[count + k] * static_cast<double>(k + 1));
      std::swap(normals(k, c), normals(other, c));
    }
  }
  return normals;
}

// Gives the rows' second moment matrix I, or at least a diagonal of 1 when they are too few.
void Whiten(Matrix& normals) {
  const auto count = static_cast<double>(normals.rows());
  if (2 * normals.cols() <= normals.rows()) {
    const Eigen::LLT<Matrix> cholesky(normals.transpose() * normals / count);
    cholesky.matrixL().transpose().solveInPlace<Eigen::OnTheRight>(normals);
    return;
  }
  for (Index c = 0; c < normals.cols(); ++c) {
    normals.col(c) *= std::sqrt(count) / normals.col(c).norm();
  }
}

}  // namespace

Matrix HalfHypercube(Index count, Index dimensions) {
  Matrix normals = Strata(count, dimensions);
  Whiten(normals);
  return normals;
}

}  // namespace prequel
