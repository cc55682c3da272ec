// A mixture of very many Student-t distributions in fewer of them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/distributions/student_t.h"
#include "core/linalg/types.h"

namespace prequel {

// Condensed relies on draws of a model's weights, which give members that differ in their location
// alone: runs of members of one scale s and ν degrees of freedom. Each run is cut into cells no
// wider than s · min(1, 0.37 √ν) along the location, and the discrete measure Σ_k w_k δ(μ_k) of
// each cell is replaced by Gauss's rule of n nodes with weights > 0 and the same moments
//   Σ_k w_k μ_k^j,  j < 2n,  n ≤ 8
// F((y − μ)/s) is so smooth in μ that the cumulative distribution function is the whole mixture's
// to 1e-13, as are mean and variance; and with weights > 0 quantiles keep their order. Depends on
// the members alone, not on the order of a run. Allocates nothing once grown.
class Condensed {
 public:
  // REQUIRES: what Mixture does of members and weights.
  void Assign(std::span<const StudentT> members, std::span<const double> weights);

  // members and weights are good until the next Assign.
  std::span<const StudentT> members() const { return members_; }
  std::span<const double> weights() const { return weights_; }

 private:
  static constexpr Index kMostNodes = 8;
  using Coefficients = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostNodes, 1>;

  // `run`: its first member.
  void AddRun(const StudentT& run);
  void AddRule(const StudentT& run, std::size_t first, std::size_t end, double half_width);
  void Add(const StudentT& run, double location, double weight);

  std::vector<StudentT> members_;
  std::vector<double> weights_;
  std::vector<std::pair<double, double>> of_run_;  // locations and weights, in order
  // The arrays are of a cell: locations within [−1, 1], weights, and two polynomials there.
  Eigen::ArrayXd x_, weight_, polynomial_, before_;
};

}  // namespace prequel
