// Y ~ Poisson(λ), log λ = f ~ N(μ, v): the Poisson–lognormal distribution.
//
// A fixed Gauss–Hermite mixture over f is a comb of separate peaks as soon as its nodes lie further
// apart than the Poisson's own relative width, √v > 1/√λ (λ = 100, v = ¼ is enough). So:
//   P(Y = y) = ∫ Poisson(y; e^f) N(f; μ, v) df, on a grid laid around the integrand's own peak
//   P(Y ≤ y) = E Q(y+1, e^f)       by 20-node Gauss–Hermite where v is the narrower scale, and
//            = E Φ((T − μ)/√v)     with T the log of a Gamma(y+1) variable where it is not
#pragma once

namespace prequel {

class PoissonMixture {
 public:
  static constexpr bool kDiscrete = true;

  PoissonMixture() = default;
  // μ and v ≥ 0 of the log rate. REQUIRES: μ + v/2 at most a few hundred.
  PoissonMixture(double mean, double variance);

  double LogDensity(double y) const;  // log mass; −∞ unless y is a count
  double Cdf(double y) const;         // P(Y ≤ y)
  double Quantile(double p) const;    // least count k with P(Y ≤ k) ≥ p; 0 < p < 1
  // Σ_k (P(Y ≤ k) − 1{y ≤ k})² = E|Y − y| − ½ E|Y − Y'|, the second term to about 1e-4 relative.
  double Crps(double y) const;

  double Mean() const;  // E λ = e^{μ + v/2}
  double Variance() const { return EpistemicVariance() + AleatoricVariance(); }
  double EpistemicVariance() const;  // Var λ = (E λ)² (e^v − 1)
  double AleatoricVariance() const { return Mean(); }

 private:
  double CdfAt(double k) const;  // k a count
  double Spread() const;         // ½ E|Y − Y'| = Σ_k P(Y ≤ k) P(Y > k)

  double mean_ = 0, variance_ = 0;
};

}  // namespace prequel
