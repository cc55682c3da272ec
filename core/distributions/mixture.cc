#include "core/distributions/mixture.h"

#include <array>
#include <cstddef>
#include <numbers>

#include "core/distributions/student_t_rows.h"
#include "core/linalg/special.h"
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

// E|Y − y| of one member, from what is known of it at y.
double AbsoluteErrorAt(const StudentT& t, double y, double log_density, double cdf) {
  if (!(t.dof > 1)) return std::numeric_limits<double>::infinity();
  const double z = (y - t.location) / t.scale;
  const double factor = std::isinf(t.dof) ? 1 : (t.dof + z * z) / (t.dof - 1);
  return (y - t.location) * (2 * cdf - 1) + 2 * t.scale * t.scale * std::exp(log_density) * factor;
}

// The members that matter to a CRPS. What is hardly believed of, or makes next to nothing of the
// spread, adds as much to E|Y − y| as to ½ E|Y − Y'|, and is left out of both.
struct Relevant {
  static constexpr std::size_t kMostMembers = 64;
  static constexpr double kLeastWeight = 1e-12;
  static constexpr double kLeastShare = 1e-5;
  static constexpr double kLeastUnit = 1e-300;

  // REQUIRES: at most kMostMembers.
  Relevant(std::span<const StudentT> members, std::span<const double> weights) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (weights[k] >= kLeastWeight) mean += weights[k] * members[k].location;
    }
    const auto spread_of = [&](std::size_t k) {
      return weights[k] * (members[k].scale + std::abs(members[k].location - mean));
    };
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (weights[k] >= kLeastWeight) unit += spread_of(k);
    }
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (weights[k] < kLeastWeight || spread_of(k) < kLeastShare * unit) continue;
      which[count++] = k;
    }
  }

  std::span<const std::size_t> places() const { return std::span(which).first(count); }

  double mean = 0;
  double unit = kLeastUnit;  // nobody's scale or distance exceeds 1/kLeastWeight of it
  std::array<std::size_t, kMostMembers> which;
  std::size_t count = 0;
};

// ½ E|Y − Y'| over all pairs of members, to about 5e-5 of the mean scale. Members of many degrees
// of freedom ν are taken by their cumulants: with δ and S² the mean and the variance of the
// difference of two, z = |δ|/S, and its cumulants κ₄ and κ₆ in units of S (Cornish and Fisher
// 1937),
//   E|Y_i − Y_j|/S = z + 2φ(z) − 2z Φ(−z)
//                    + 2φ(z) [κ₄ He₂(z)/24 + κ₆ He₄(z)/720 + κ₄² He₆(z)/1152]
// which is exact of normals and errs by 4/ν³ of others. Those of few by the normals that they
// consist of,
//   T_ν = N(0, s²/λ) with λ ~ Gamma(ν/2, ν/2)
// in nodes of the trapezoidal rule in u = log λ, where the density is e^{(u − λ) ν/2} and vanishes
// faster than any error on the right, and as e^{(ν−1)u/2} of the absolute value on the left.
// On the stack, so that nothing allocates, and in single precision.
class Pairs {
 public:
  // REQUIRES: the degrees of freedom of the members that matter are above 1.
  Pairs(std::span<const StudentT> members, std::span<const double> weights,
        const Relevant& relevant)
      : unit_(relevant.unit) {
    for (const std::size_t k : relevant.places()) {
      const StudentT t = members[k].Affine(-relevant.mean, 1).Affine(0, 1 / unit_);
      if (t.dof >= kLeastDof) {
        AddByCumulants(t, weights[k]);
      } else {
        AddByNormals(t, weights[k]);
      }
    }
  }

  double Spread() {
    // What is beyond the last counts nothing.
    const Index end = (num_ + kWidth - 1) / kWidth * kWidth;
    for (Index j = num_; j < end; ++j) {
      location_[j] = fourth_[j] = sixth_[j] = 0;
      variance_[j] = 1;
    }
    earlier_.head(end).setZero();
    double spread = 0;
    for (Index i = 0; i < num_; ++i) {
      earlier_[i] = 0.5F * weight_[i];
      float distance = 0;
      for (Index j = 0; j <= i; j += kWidth) distance += DistanceTo(i, j);
      earlier_[i] = weight_[i];
      spread += static_cast<double>(weight_[i] * distance);
    }
    return unit_ * spread;
  }

 private:
  static constexpr Index kMostNodes = 16;  // of a member
  static constexpr Index kMostParts = static_cast<Index>(Relevant::kMostMembers) * kMostNodes;
  static constexpr Index kWidth = 8;  // parts that are met at a time
  static constexpr double kLeastDof = 40;
  static constexpr double kLittle = 0.02;      // a weight whose nodes may be fewer
  static constexpr double kVeryLittle = 1e-4;  // or one
  static constexpr double kNarrowest = 1e-9;   // scale, in units
  using Parts = Eigen::Array<float, kMostParts, 1>;
  using Some = Eigen::Array<float, kWidth, 1>;

  // The fourth and sixth cumulants are in units of the deviation.
  void Add(double weight, double location, double variance, double fourth, double sixth) {
    weight_[num_] = static_cast<float>(weight);
    location_[num_] = static_cast<float>(location);
    variance_[num_] = static_cast<float>(std::max(variance, kNarrowest * kNarrowest));
    fourth_[num_] = static_cast<float>(fourth);
    sixth_[num_++] = static_cast<float>(sixth);
  }

  void AddByCumulants(const StudentT& t, double weight) {
    const bool normal = std::isinf(t.dof);
    const double fourth = normal ? 0 : 6 / (t.dof - 4), of_sixth = normal ? 0 : 40 / (t.dof - 6);
    Add(weight, t.location, t.scale * t.scale * (normal ? 1 : t.dof / (t.dof - 2)), fourth,
        of_sixth * fourth);
  }

  // AbsoluteOf is E|T|/s of `dof` degrees of freedom. Neighbours often have as many.
  double AbsoluteOf(double dof) {
    if (dof != dof_) {
      const StudentT t{.dof = dof};
      dof_ = dof;
      absolute_ = AbsoluteErrorAt(t, 0, t.LogDensity(0), 0.5);
    }
    return absolute_;
  }

  // The widest of the normals, or the only one, is as wide as makes E|T| what it is.
  void AddByNormals(const StudentT& t, double weight) {
    const double of_all = std::sqrt(0.5 * std::numbers::pi) * AbsoluteOf(t.dof);
    if (weight < kVeryLittle) {
      Add(weight, t.location, std::pow(t.scale * of_all, 2), 0, 0);
      return;
    }
    const double half = 0.5 * t.dof;
    const double step = (weight < kLittle ? 1.6 : 0.8) / std::sqrt(half);
    const double tail = weight < kLittle ? 1e-2 : 1e-6;
    const Index first = num_;
    double total = 0, absolute = 0;  // of e^{(u − λ) ν/2}, and of that by √(1/λ)
    double lambda = 1, density = 1, share = 1;
    const auto add = [&](double u) {
      lambda = std::exp(u);
      density = std::exp((u - lambda) * half);
      share = density / std::sqrt(lambda);
      Add(density, t.location, t.scale * t.scale / lambda, 0, 0);
      total += density;
      absolute += share;
    };
    for (double u = step; share > tail && num_ < first + kMostNodes / 2; u += step) add(u);
    share = 1;
    for (double u = 0; share > tail && num_ < first + kMostNodes; u -= step) add(u);
    const double wanted = of_all * total - (absolute - share);
    const double widest = t.scale * std::max(wanted, share) / density;
    variance_[num_ - 1] = static_cast<float>(widest * widest);
    weight_.segment(first, num_ - first) *= static_cast<float>(weight / total);
  }

  // Returns Σ_j w_j E|Y_i − Y_j| over kWidth parts from j on, with the weights of those before i.
  float DistanceTo(Index i, Index j) const {
    const Some of_j = variance_.segment<kWidth>(j);
    const Some square = of_j + variance_[i];
    const Some deviation = square.sqrt(), inverse = deviation.inverse();
    const Some z = (location_.segment<kWidth>(j) - location_[i]).abs() * inverse;
    const Some z2 = z.square().min(kFarSquare);
    Some distance, density;  // z + 2φ(z) − 2z Φ(−z) and 2φ(z)
    if (z2.maxCoeff() < 1) {
      MeetNear(z2, distance, density);
    } else {
      MeetAny(z, z2, distance, density);
    }
    const Some share_j = of_j * inverse.square(), share_i = variance_[i] * inverse.square();
    const Some square_j = share_j.square(), square_i = share_i.square();
    const Some fourth = fourth_.segment<kWidth>(j) * square_j + fourth_[i] * square_i;
    const Some sixth =
        sixth_.segment<kWidth>(j) * square_j * share_j + sixth_[i] * square_i * share_i;
    const Some he2 = z2 - 1, he4 = (z2 - 6) * z2 + 3, he6 = ((z2 - 15) * z2 + 45) * z2 - 15;
    distance += density * (fourth * (he2 / 24 + fourth * he6 / 1152) + sixth * he4 / 720);
    return (deviation * distance * earlier_.segment<kWidth>(j)).sum();
  }

  // MeetNear computes both by their series in z².
  static void MeetNear(const Some& z2, Some& distance, Some& density) {
    density = kTwiceMode * (1 + z2 * (-1.F / 2 + z2 * (1.F / 8 + z2 * (-1.F / 48 + z2 / 384))));
    distance = z2 * (1.F / 240 + z2 * (-1.F / 2688 + z2 * (1.F / 34560 - z2 / 506880)));
    distance = kTwiceMode * (1 + z2 * (1.F / 2 + z2 * (-1.F / 24 + distance)));
  }

  // MeetAny: Φ(−z) = ½ e^{−z²/2} p(1/(1 + kErf z)) to 1e-7 (Abramowitz and Stegun 1964, 7.1.26).
  static void MeetAny(const Some& z, const Some& z2, Some& distance, Some& density) {
    constexpr float kErf = 0.3275911F * 0.5F * std::numbers::sqrt2_v<float>;
    const Some t = (1 + kErf * z).inverse();
    const Some p =
        t * (0.254829592F +
             t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
    density = (-0.5F * z2).exp();
    distance = z + (kTwiceMode - z * p) * density;
    density *= kTwiceMode;
  }

  static constexpr float kFarSquare = 100;  // z², beyond which φ(z) is nothing
  static constexpr float kTwiceMode =
      std::numbers::inv_sqrtpi_v<float> * std::numbers::sqrt2_v<float>;  // 2φ(0)

  double unit_ = 1;
  double dof_ = 0, absolute_ = 0;  // AbsoluteOf the last
  Index num_ = 0;
  Parts weight_, location_, variance_, fourth_, sixth_, earlier_;
};

// Rough is the mixture with normals in the place of its members, all asked at once: a quantile is
// looked for with it before the members themselves are asked.
class Rough {
 public:
  // REQUIRES: at most Relevant::kMostMembers.
  Rough(std::span<const StudentT> members, std::span<const double> weights)
      : location_(static_cast<Index>(members.size())),
        inverse_(location_.size()),
        weight_(location_.size()) {
    for (Index k = 0; k < location_.size(); ++k) {
      const StudentT& t = members[static_cast<std::size_t>(k)];
      location_[k] = t.location;
      inverse_[k] = 1 / t.scale;
      weight_[k] = weights[static_cast<std::size_t>(k)];
    }
  }

  // Returns P(Y ≤ x), and leaves the density of x in `density`.
  double Cdf(double x) {
    constexpr double kErf = 0.3275911 * 0.5 * std::numbers::sqrt2;
    z_ = ((x - location_) * inverse_).max(-kFarthest).min(kFarthest);
    density_ = (-0.5 * z_.square()).exp();
    const Members t = (1 + kErf * z_.abs()).inverse();
    tail_ = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t +
             0.254829592) *
            t * (0.5 * density_);
    density = (density_ * weight_ * inverse_).sum() * (0.5 * std::numbers::inv_sqrtpi) *
              std::numbers::sqrt2;
    return ((z_ < 0).select(tail_, 1 - tail_) * weight_).sum();
  }
  double density = 0;  // at the x that Cdf was asked of last

  // Quantile is found by Newton's method within a bracket that shrinks.
  double Quantile(double p) {
    const double deviate = NormalQuantile(p);
    const Members own = (weight_ > 0).select(location_ + deviate / inverse_, location_[0]);
    double low = own.minCoeff(), high = own.maxCoeff();
    double x = (weight_ * own).sum() / weight_.sum();
    for (int step = 0; step < kMostSteps; ++step) {
      const double off = Cdf(x) - p;
      if (std::abs(off) < kNear) break;
      (off > 0 ? high : low) = x;
      const double next = x - off / density;
      x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
  }

 private:
  static constexpr double kFarthest = 30;  // deviations, of which no more is seen
  static constexpr double kNear = 1e-6;
  static constexpr int kMostSteps = 60;
  using Members = Eigen::Array<double, Eigen::Dynamic, 1, 0, Relevant::kMostMembers, 1>;

  Members location_, inverse_, weight_;
  Members z_, density_, tail_;
};

// E|Y − y|
double AbsoluteErrorOf(std::span<const StudentT> members, std::span<const double> weights,
                       const Relevant& relevant, double y, const AtOutcome& at) {
  const bool known = y == at.y && at.log_densities != nullptr && at.cdfs != nullptr;
  double error = 0;
  for (const std::size_t k : relevant.places()) {
    error += weights[k] * (known ? AbsoluteErrorAt(members[k], y, at.log_densities[k], at.cdfs[k])
                                 : members[k].AbsoluteError(y));
  }
  return error;
}

}  // namespace

template <>
double Mixture<StudentT>::Quantile(double p) const {
  constexpr double kFar = 1e-4, kClose = 1e-10;
  constexpr int kMostSteps = 12;
  if (members_.size() == 1) return members_.front().Quantile(p);
  if (members_.size() > Relevant::kMostMembers || !(p >= kFar && p <= 1 - kFar)) return Search(p);
  Rough rough(members_, weights_.all);
  double x = rough.Quantile(p);
  for (int step = 0; step < kMostSteps; ++step) {
    const double off =
        AverageOf(members_, weights_.all, [x](const StudentT& t) { return QuickCdf(t, x); }) - p;
    rough.Cdf(x);
    const double next = x - off / rough.density;
    if (!std::isfinite(next)) break;
    if (std::abs(off) < kClose) return next;
    x = next;
  }
  return Search(p);
}

// E|Y − y| − ½ E|Y − Y'|
template <>
double Mixture<StudentT>::Crps(double y) const {
  if (members_.size() > Relevant::kMostMembers) return EvenCrps(members_, weights_.all, y);
  if (members_.size() == 1) return members_.front().Crps(y);
  const Relevant relevant(members_, weights_.all);
  const double error = AbsoluteErrorOf(members_, weights_.all, relevant, y, at_);
  return std::isfinite(error) ? error - Pairs(members_, weights_.all, relevant).Spread() : error;
}

}  // namespace prequel
