#include "core/distributions/mixture.h"

#include <array>
#include <cstddef>

#include "core/linalg/types.h"

namespace prequel {
namespace {

// E|Y − y| − ½ E|Y − Y'| = mean of the members' CRPS − ∫ mean (F_j(x) − Cdf(x))² dx. The integrand
// is as smooth as the narrowest member and vanishes on both sides, so that the trapezoidal rule
// with step h errs by e^{−(2πs/h)²/4} for normals of scale s and e^{−2π√ν s/h} for Student-t.
double EvenCrps(std::span<const StudentT> members, std::span<const double> weights, double y) {
  constexpr double kStep = 0.75;         // of the smallest scale
  constexpr double kSpreadTail = 1e-4;   // whose square is what is left out
  constexpr double kMaxNodes = 1 << 14;  // members of very different scales share a coarser grid
  StudentT heaviest;
  for (const StudentT& member : members) heaviest.dof = std::min(heaviest.dof, member.dof);
  const double reach = -heaviest.Quantile(kSpreadTail);
  double low = std::numeric_limits<double>::infinity(), high = -low, narrowest = low;
  for (const StudentT& member : members) {
    low = std::min(low, member.location - reach * member.scale);
    high = std::max(high, member.location + reach * member.scale);
    narrowest = std::min(narrowest, member.scale);
  }
  const double nodes = std::min(std::ceil((high - low) / (kStep * narrowest)), kMaxNodes);
  const double step = (high - low) / nodes;
  double disagreement = 0;  // Σ over the nodes of mean F² − (mean F)²
  for (double node = 0; node <= nodes; ++node) {
    const double x = low + node * step;
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const double cdf = members[k].Cdf(x);
      mean += weights[k] * cdf;
      square += weights[k] * cdf * cdf;
    }
    disagreement += square - mean * mean;
  }
  double crps = 0;
  for (std::size_t k = 0; k < members.size(); ++k) crps += weights[k] * members[k].Crps(y);
  return crps - step * disagreement;
}

// Nodes that lie as close as the members are narrow there, and ever further apart in their tails;
// on the stack, so that nothing allocates.
class Grid {
 public:
  static constexpr Index kMaxNodes = 384;
  using Values = Eigen::Array<double, Eigen::Dynamic, 1, 0, kMaxNodes, 1>;

  // Those of the members that hold more than `least` of the spread of all.
  Grid(std::span<const StudentT> members, std::span<const double> weights, double least)
      : members_(members), weights_(weights) {
    double spread = 0, mean = 0;
    for (std::size_t k = 0; k < members.size(); ++k) mean += weights[k] * members[k].location;
    const auto spread_of = [&](std::size_t k) {
      return weights[k] * (members[k].scale + std::abs(members[k].location - mean));
    };
    for (std::size_t k = 0; k < members.size(); ++k) spread += spread_of(k);
    for (std::size_t k = 0; k < members.size() && kept_ < kMostKept; ++k) {
      if (spread_of(k) > least * spread) which_[kept_++] = k;
    }
    for (double fineness = kFineness; !Place(fineness); fineness *= 1.5) continue;
  }

  // ∫ F(1 − F) dx, of the mixture's F as the sum of its density f, both by the trapezoidal rule
  // with the slopes at the ends of each piece: of fourth order in its width.
  double Spread() const {
    Values density = Values::Zero(x_.size()), slope = density;
    for (std::size_t i = 0; i < kept_; ++i) AddDensity(which_[i], density, slope);
    double total = 0;
    for (Index n = 0; n + 1 < x_.size(); ++n) total += Piece(n, density, slope);
    double below = 0, spread = 0, last = 0, last_slope = density[0] / total;
    for (Index n = 0; n + 1 < x_.size(); ++n) {
      below += Piece(n, density, slope) / total;
      const double here = below * (1 - below);
      const double here_slope = density[n + 1] / total * (1 - 2 * below);
      const double width = x_[n + 1] - x_[n];
      spread += width * (0.5 * (last + here) + width / 12 * (last_slope - here_slope));
      last = here;
      last_slope = here_slope;
    }
    return spread;
  }

 private:
  static constexpr std::size_t kMostKept = 64;
  static constexpr double kFineness = 0.35;  // of a scale between nodes
  static constexpr double kTail = 1e-5;      // of the spread, which is left out

  static double Piece(Index n, const Values& x, const Values& f, const Values& slope) {
    const double width = x[n + 1] - x[n];
    return width * (0.5 * (f[n] + f[n + 1]) + width / 12 * (slope[n] - slope[n + 1]));
  }
  double Piece(Index n, const Values& f, const Values& slope) const {
    return Piece(n, x_, f, slope);
  }

  // In scales: so far that what is beyond adds about kTail to the spread.
  static double Reach(const StudentT& member) {
    const double power = std::max(0.5, member.dof - 1);
    return 5 + std::min(1e4, std::pow(kTail, -1 / power));
  }

  bool Place(double fineness) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < kept_; ++i) {
      const StudentT& member = members_[which_[i]];
      low = std::min(low, member.location - Reach(member) * member.scale);
      high = std::max(high, member.location + Reach(member) * member.scale);
    }
    x_.resize(kMaxNodes);
    Index nodes = 0;
    for (double x = low; nodes < kMaxNodes; ++nodes) {
      x_[nodes] = x;
      if (x >= high) {
        x_.conservativeResize(nodes + 1);
        return true;
      }
      double square = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < kept_; ++i) {
        const StudentT& member = members_[which_[i]];
        const double distance = 0.5 * (x - member.location);
        square = std::min(square, member.scale * member.scale + distance * distance);
      }
      const double next = x + fineness * std::sqrt(square);
      x = next > x ? next : std::nextafter(x, high);
    }
    return false;
  }

  void AddDensity(std::size_t k, Values& density, Values& slope) const {
    const StudentT& member = members_[k];
    const double at_mode = weights_[k] * std::exp(member.LogDensity(member.location));
    const Values z = (x_ - member.location) / member.scale;
    Values own;
    if (std::isinf(member.dof)) {
      own = at_mode * (-0.5 * z.square()).exp();
      slope -= own * z / member.scale;
    } else {
      const double power = 0.5 * (member.dof + 1);
      own = at_mode * (-power * (1 + z.square() / member.dof).log()).exp();
      slope -= own * z * ((member.dof + 1) / member.scale) / (member.dof + z.square());
    }
    density += own;
  }

  std::span<const StudentT> members_;
  std::span<const double> weights_;
  std::array<std::size_t, kMostKept> which_{};
  std::size_t kept_ = 0;
  Values x_;
};

// E|Y − y| − ½ E|Y − Y'|, where the last is ∫ Cdf (1 − Cdf) dx.
double GradedCrps(std::span<const StudentT> members, std::span<const double> weights, double y) {
  double error = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (weights[k] > 0) error += weights[k] * members[k].AbsoluteError(y);
  }
  return error - Grid(members, weights, 1e-6).Spread();
}

}  // namespace

// Draws of one belief are as narrow as each other, beliefs are not.
template <>
double Mixture<StudentT>::Crps(double y) const {
  const auto [narrowest, widest] =
      std::minmax_element(members_.begin(), members_.end(),
                          [](const auto& a, const auto& b) { return a.scale < b.scale; });
  constexpr std::size_t kFew = 64;
  return members_.size() > kFew || narrowest->scale == widest->scale
             ? EvenCrps(members_, weights_, y)
             : GradedCrps(members_, weights_, y);
}

}  // namespace prequel
