// y ∈ {0, …, C−1}, P(y = c) = p_c = e^{f_c} / Σ_j e^{f_j}, f ~ N(f̂, Σ):
//   E log p = f̂_y − E logsumexp(f),  E r = e_y − E p,  G Gᵀ = E[diag p − p pᵀ]
// by K fixed quasi-random draws shared by all examples, f_k = f̂ + L z_k with L Lᵀ = Σ; or at f̂
// when Σ is 0. The z_k are an antithetic Latin hypercube, so their mean is 0, and whitened when
// C ≤ K/4, so that then their covariance is I.
//
// That is for narrow logits. Where their width (WidthOf(Σ), the variance v of Σ = v I) is beyond
// 4.5, expectations are mixed with those of distributions/diagonal_softmax.h, or of
// wide_softmax.h unless Σ is diagonal, and are those alone from width 8 on. The share of either is
// a smooth function of Σ alone: nothing depends on other examples, nor jumps as the posterior
// moves, and E r stays the gradient of E log p.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/options.h"
#include "core/distributions/class_predictive.h"
#include "core/distributions/diagonal_softmax.h"
#include "core/distributions/wide_softmax.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/logit_moments.h"

namespace prequel {

class Categorical : public LikelihoodDefaults {
 public:
  static constexpr std::string_view kName = "categorical";
  static constexpr bool kClasses = true;
  static constexpr Link kLink = Link::kSoftmax;
  static constexpr Index kDraws = 64;                // K, even
  static constexpr double kNarrow = 4.5, kWide = 8;  // widths

  absl::Status Configure(Options& options, const TargetConfig& target);

  Index num_logits() const { return classes_; }
  Index num_targets() const { return 1; }
  Index num_classes() const { return classes_; }
  Index curvature_rank() const { return classes_ - 1; }  // W 1 = 0

  std::string_view TargetProblem(double y) const;

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  // Probabilities allocates nothing once sized.
  void Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const;

 private:
  // WideScratch is the most scratch that expectations of wide logits need.
  Index WideScratch() const;
  // Prepare returns the share of the expectations for wide logits. The left C columns of `block`
  // are then for E[p pᵀ], the others for wide logits; it only grows.
  double Prepare(const LogitMoments& moments, Index example, Matrix& block) const;
  // DrawLogits fills draws (K × C+2, or 1 × C+2 when exact): the logits f_k of an example, then two
  // columns for use.
  void DrawLogits(const LogitMoments& moments, Index example, Matrix& draws, Matrix& block) const;

  // ExpandByDraws computes score and second moment of an example by K draws, and MixWide mixes in
  // those for wide logits, by their share; both return E log p_y.
  double ExpandByDraws(const LogitMoments& moments, Index example, Index label,
                       LocalExpansion& expansion) const;
  double MixWide(const LogitMoments& moments, Index example, Index label, double share,
                 double log_density, LocalExpansion& expansion) const;
  // ProbabilitiesByDraws and this MixWide do that for the predictive of an example.
  void ProbabilitiesByDraws(const LogitMoments& moments, Index example,
                            ClassPredictive& predictive) const;
  void MixWide(const LogitMoments& moments, Index example, double share,
               ClassPredictive& predictive) const;

  Index classes_ = 2;
  std::string target_problem_;
  Matrix normals_;  // K/2 × C: row k is z_k, and −z_k is the other half
  WideSoftmax wide_;
  DiagonalSoftmax diagonal_;
};

}  // namespace prequel
