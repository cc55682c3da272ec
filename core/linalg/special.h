// Special functions of one real variable: reentrant, and accurate to a few units of the last place
// where nothing else is said.
#pragma once

namespace prequel {

double LogGamma(double x);  // log Γ(x), x > 0
double Digamma(double x);   // ψ(x) = d/dx log Γ(x), x > 0

// log Γ(x + ½) − log Γ(x) for x > 0, without the cancellation of the difference.
double LogGammaHalfStep(double x);

double NormalCdf(double x);       // Φ(x), accurate in the left tail
double NormalQuantile(double p);  // Φ⁻¹(p), 0 < p < 1

// log(1 + eˣ) for any x.
double Softplus(double x);

// I_x(a, b), the regularised incomplete beta function; 0 ≤ x ≤ 1.
double IncompleteBeta(double a, double b, double x);

// Q(a, x) = Γ(a, x)/Γ(a), the upper regularised incomplete gamma function; a > 0, x ≥ 0.
double UpperIncompleteGamma(double a, double x);

// e^{−x} (I₀(x) + I₁(x)), modified Bessel functions; x ≥ 0.
double ScaledBesselSum(double x);

}  // namespace prequel
