#include "core/predictive/condensed.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

constexpr double kLeastWeight = 1e-250;  // products with less would underflow

bool DifferInLocationAlone(const StudentT& a, const StudentT& b) {
  return a.scale == b.scale && a.dof == b.dof && a.epistemic_share == b.epistemic_share;
}

double CellWidth(const StudentT& t) { return t.scale * std::min(1.0, 0.37 * std::sqrt(t.dof)); }

}  // namespace

void Condensed::Assign(std::span<const StudentT> members, std::span<const double> weights) {
  members_.clear();
  weights_.clear();
  for (std::size_t first = 0, end = 0; first < members.size(); first = end) {
    of_run_.clear();
    // The run takes in its first member whatever it is: NaN is not even equal to itself.
    do {
      if (weights[end] > kLeastWeight) of_run_.emplace_back(members[end].location, weights[end]);
      ++end;
    } while (end < members.size() && DifferInLocationAlone(members[end], members[first]));
    AddRun(members[first]);
  }
}

void Condensed::AddRun(const StudentT& run) {
  std::sort(of_run_.begin(), of_run_.end());
  const double width = CellWidth(run);
  for (std::size_t first = 0, end = 0; first < of_run_.size(); first = end) {
    const double high = of_run_[first].first + width;
    do ++end;
    while (end < of_run_.size() && of_run_[end].first <= high);
    if (end - first > static_cast<std::size_t>(kMostNodes)) {
      AddRule(run, first, end, 0.5 * width);
      continue;
    }
    for (std::size_t k = first; k < end; ++k) Add(run, of_run_[k].first, of_run_[k].second);
  }
}

void Condensed::Add(const StudentT& run, double location, double weight) {
  members_.push_back(run);
  members_.back().location = location;
  weights_.push_back(weight);
}

// AddRule finds Gauss's rule by Stieltjes' procedure: the monic polynomials that are orthogonal
// over the locations,
//   p_{k+1} = (x − a_k) p_k − b_k p_{k−1},   a_k = Σ w x p_k²/Σ w p_k²,
//   b_k = Σ w p_k²/Σ w p_{k−1}²
// until p_k vanishes there. The nodes are the eigenvalues of the matrix of a on the diagonal and √b
// beside it, the weights the squares of the first components of its vectors (Golub and Welsch
// 1969).
void Condensed::AddRule(const StudentT& run, std::size_t first, std::size_t end,
                        double half_width) {
  constexpr double kNothing = 1e-16;  // of the first square
  const auto count = static_cast<Index>(end - first);
  const double middle = of_run_[first].first + half_width;
  for (Eigen::ArrayXd* of : {&x_, &weight_, &polynomial_, &before_}) {
    if (of->size() < count) of->resize(count);
  }
  for (Index i = 0; i < count; ++i) {
    const auto& [location, weight] = of_run_[first + static_cast<std::size_t>(i)];
    x_[i] = (location - middle) / half_width;
    weight_[i] = weight;
  }
  const Eigen::Ref<const Eigen::ArrayXd> x = x_.head(count), weight = weight_.head(count);
  Eigen::Ref<Eigen::ArrayXd> polynomial = polynomial_.head(count), before = before_.head(count);
  polynomial.setOnes();
  before.setZero();
  const double total = weight.sum();
  Coefficients a(kMostNodes), b(kMostNodes);
  double square = total, last = total;
  Index nodes = 0;
  while (nodes < kMostNodes && square > kNothing * total) {
    a[nodes] = (weight * x * polynomial.square()).sum() / square;
    b[nodes] = nodes == 0 ? 0 : square / last;
    before = (x - a[nodes]) * polynomial - b[nodes] * before;
    polynomial.swap(before);
    last = std::exchange(square, (weight * polynomial.square()).sum());
    ++nodes;
  }
  Eigen::SelfAdjointEigenSolver<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostNodes, kMostNodes>>
      rule(nodes);
  rule.computeFromTridiagonal(a.head(nodes), b.segment(1, nodes - 1).cwiseSqrt());
  for (Index i = 0; i < nodes; ++i) {
    const double component = rule.eigenvectors()(0, i);
    Add(run, middle + half_width * rule.eigenvalues()[i], total * component * component);
  }
}

}  // namespace prequel
