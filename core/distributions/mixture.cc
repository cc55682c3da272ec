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
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (weights[k] > 0) crps += weights[k] * members[k].Crps(y);
  }
  return crps - step * disagreement;
}

// Nodes that lie as close as the members are narrow there, and ever further apart in their tails;
// on the stack, so that nothing allocates. In units of the narrowest member, from the mean on.
// Densities are positive and smooth, and wanted to a millionth: in single precision.
class Grid {
 public:
  static constexpr Index kMaxNodes = 384;
  using Values = Eigen::Array<float, Eigen::Dynamic, 1, 0, kMaxNodes, 1>;

  // Those of the members that hold more than `least` of the spread of all.
  Grid(std::span<const StudentT> members, std::span<const double> weights, double least) {
    double spread = 0, mean = 0;
    for (std::size_t k = 0; k < members.size(); ++k) mean += weights[k] * members[k].location;
    const auto spread_of = [&](std::size_t k) {
      return weights[k] * (members[k].scale + std::abs(members[k].location - mean));
    };
    for (std::size_t k = 0; k < members.size(); ++k) spread += spread_of(k);
    unit_ = std::numeric_limits<double>::infinity();
    std::size_t kept = 0;
    std::array<std::size_t, kMostKept> which{};
    for (std::size_t k = 0; k < members.size() && kept < kMostKept; ++k) {
      if (spread_of(k) <= least * spread) continue;
      which[kept++] = k;
      unit_ = std::min(unit_, members[k].scale);
    }
    kept_ = static_cast<Index>(kept);
    for (Members* of : {&location_, &scale_, &dof_, &weight_, &mode_, &reach_}) of->resize(kept_);
    for (Index i = 0; i < kept_; ++i) {
      const std::size_t k = which[static_cast<std::size_t>(i)];
      location_[i] = (members[k].location - mean) / unit_;
      scale_[i] = members[k].scale / unit_;
      dof_[i] = members[k].dof;
      weight_[i] = weights[k];
      AddNarrow(location_[i], scale_[i]);
      const Index alike = LastAlike(i);  // beliefs have seen as many rows
      mode_[i] = alike < 0 ? ModeOf(dof_[i]) : mode_[alike];
      reach_[i] = alike < 0 ? Reach(dof_[i]) : reach_[alike];
    }
    for (double fineness = kFineness; !Place(fineness); fineness *= 1.5) continue;
  }

  // ∫ F(1 − F) dx, of the mixture's F as the sum of its density f, both by the trapezoidal rule
  // with the slopes at the ends of each piece: of fourth order in its width.
  double Spread() const {
    Values density = Values::Zero(x_.size()), slope = density;
    for (Index i = 0; i < kept_; ++i) AddDensity(i, density, slope);
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
    return unit_ * spread;
  }

 private:
  static constexpr std::size_t kMostKept = 64;
  static constexpr double kFineness = 0.35;  // of a scale between nodes
  static constexpr double kTail = 1e-5;      // of the spread, which is left out
  static constexpr float kFarthest = 1e12F;  // scales, of which no more is seen

  using Members = Eigen::Array<double, Eigen::Dynamic, 1, 0, kMostKept, 1>;
  using Nodes = Eigen::Array<double, Eigen::Dynamic, 1, 0, kMaxNodes, 1>;

  double Piece(Index n, const Values& f, const Values& slope) const {
    const double width = x_[n + 1] - x_[n];
    return width * (0.5 * (f[n] + f[n + 1]) + width / 12 * (slope[n] - slope[n + 1]));
  }

  // Of neighbours in one place, such as the tracks of a belief, the narrowest matters.
  void AddNarrow(double location, double scale) {
    const bool same = num_narrow_ > 0 && narrow_location_[num_narrow_ - 1] == location;
    if (!same) narrow_location_[num_narrow_++] = location;
    double& square = narrow_square_[num_narrow_ - 1];
    square = same ? std::min(square, scale * scale) : scale * scale;
  }
  // A member before this one of the same degrees of freedom, or −1.
  Index LastAlike(Index i) const {
    Index j = i - 1;
    while (j >= 0 && dof_[j] != dof_[i]) --j;
    return j;
  }
  // The standard density at 0.
  static double ModeOf(double dof) { return std::exp(StudentT{.dof = dof}.LogDensity(0)); }
  // In scales: so far that what is beyond adds about kTail to the spread.
  static double Reach(double dof) {
    const double power = std::max(0.5, dof - 1);
    return 5 + std::min(1e4, std::exp(-std::log(kTail) / power));
  }

  bool Place(double fineness) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = 0; i < kept_; ++i) {
      low = std::min(low, location_[i] - reach_[i] * scale_[i]);
      high = std::max(high, location_[i] + reach_[i] * scale_[i]);
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
      for (Index i = 0; i < num_narrow_; ++i) {
        const double distance = 0.5 * (x - narrow_location_[i]);
        square = std::min(square, narrow_square_[i] + distance * distance);
      }
      const double next = x + fineness * std::sqrt(square);
      x = next > x ? next : std::nextafter(x, high);
    }
    return false;
  }

  void AddDensity(Index i, Values& density, Values& slope) const {
    const double dof = dof_[i], scale = scale_[i];
    const auto at_mode = static_cast<float>(weight_[i] * mode_[i] / scale);
    Values z(x_.size());
    for (Index n = 0; n < x_.size(); ++n) {
      z[n] = static_cast<float>((x_[n] - location_[i]) * (1 / scale));
    }
    z = z.max(-kFarthest).min(kFarthest);
    Values own;
    if (dof > kNormalDof) {
      own = at_mode * (-0.5F * z.square()).exp();
      slope -= own * z * static_cast<float>(1 / scale);
    } else {
      const auto nu = static_cast<float>(dof);
      constexpr float kLeast = 1e-30F;
      const Values u = z.square() / nu, above = 1 + u;
      // log(1 + u), whose rounding is made good by that of 1 + u.
      const Values log = above.log() * u / (above - 1).max(kLeast);
      own = at_mode * (-0.5F * (nu + 1) * log).exp();
      slope -= own * z * static_cast<float>((dof + 1) / (dof * scale)) / above;
    }
    density += own;
  }

  static constexpr double kNormalDof = 1e4;

  double unit_ = 1;
  Index kept_ = 0;
  Members location_, scale_, dof_, weight_;
  Members mode_, reach_;  // standard density at 0, and where its tails end
  std::array<double, kMostKept> narrow_location_, narrow_square_;
  Index num_narrow_ = 0;
  Nodes x_;
};

// E|Y − y| of one member, from what is known of it at y.
double AbsoluteErrorAt(const StudentT& t, double y, double log_density, double cdf) {
  if (!(t.dof > 1)) return std::numeric_limits<double>::infinity();
  const double z = (y - t.location) / t.scale;
  const double factor = std::isinf(t.dof) ? 1 : (t.dof + z * z) / (t.dof - 1);
  return (y - t.location) * (2 * cdf - 1) + 2 * t.scale * t.scale * std::exp(log_density) * factor;
}

// E|Y − y| − ½ E|Y − Y'|, where the last is ∫ Cdf (1 − Cdf) dx.
double GradedCrps(std::span<const StudentT> members, std::span<const double> weights, double y,
                  const AtOutcome& at) {
  const bool known = y == at.y && at.log_densities != nullptr && at.cdfs != nullptr;
  double error = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!(weights[k] > 0)) continue;
    error += weights[k] * (known ? AbsoluteErrorAt(members[k], y, at.log_densities[k], at.cdfs[k])
                                 : members[k].AbsoluteError(y));
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
             ? EvenCrps(members_, weights_.all, y)
             : GradedCrps(members_, weights_.all, y, at_);
}

}  // namespace prequel
