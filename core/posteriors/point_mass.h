// All mass at one point: what an optimiser holds. No variance; O(D) memory.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/linalg/types.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class PointDivergence;
class PointProjector;
class PointSampler;

struct PointMass : PosteriorDefaults {
  static constexpr std::string_view kName = "point";
  static constexpr bool kHasVariance = false;
  static constexpr bool kIsVectors = true;

  static absl::Status Configure(Options& options, const Layers& /*layers*/) {
    options.Describe("a mean and no variance", "D numbers, up to 67 million weights");
    return options.Finish();
  }

  using Projector = PointProjector;
  using Sampler = PointSampler;
  using Divergence = PointDivergence;

  Vector mean;  // D

  static PointMass FromDiagonal(const Vector& mean, const Vector& /*variances*/) {
    PointMass q;
    q.mean = mean;
    return q;
  }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
  }

  absl::Status Carry(const Carrying& by, CarryingScratch& /*w*/) {
    if (by.settled) by.OfAll().Apply(mean);
    return absl::OkStatus();
  }

  Index size() const { return mean.size(); }
  static double SpreadNumbers(const Layers& /*layers*/) { return 0; }
  static double least_positive() { return 1; }  // nothing must be positive
  bool IsFinite() const { return mean.allFinite(); }
  bool IsSound(Index params) const { return mean.size() == params && IsFinite(); }
};

// PointDivergence offers no KL: two points have none.
class PointDivergence {
 public:
  static std::optional<double> Kl(const PointMass&, const PointMass&) { return std::nullopt; }
};

// PointProjector makes the logits exactly known.
class PointProjector {
 public:
  absl::Status Begin(const PointMass& /*posterior*/) { return absl::OkStatus(); }
  void Project(Expansion& expansion) {
    expansion.moments().covariance.resize(expansion.num_logits(), 0);
  }
};

// PointSampler draws the point every time.
class PointSampler {
 public:
  absl::Status Prepare(const PointMass& posterior) {
    mean_ = posterior.mean;
    return absl::OkStatus();
  }
  void Draw(const Stream& /*stream*/, Vector& theta) { theta = mean_; }

 private:
  Vector mean_;
};

}  // namespace prequel
