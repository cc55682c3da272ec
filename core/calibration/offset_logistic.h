// Bayesian logistic regression with an offset, row by row: y ~ Bernoulli(σ(z + φᵀw)), w ~ N(m, P).
// With a = z + φᵀm and ν = φᵀPφ:
//   E σ(z + φᵀw) ≈ σ(k(ν) a),   k(ν) = β/√(ν + β²),   β² = 8/π
#pragma once

#include <cmath>

#include "core/linalg/types.h"

namespace prequel {

inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// ShrunkLogOdds is k(ν) a.
double ShrunkLogOdds(double a, double nu);

// LogisticStep is the slope and the curvature of log p(y) by which the row moves what is known of
// its log odds.
struct LogisticStep {
  double slope = 0;      // y − p
  double curvature = 0;  // k p (1 − p)
};

// StepOfRow is the implicit step of one row, in closed form except for one root
// (core/rules/logistic_closed_form.h), with k of the variance before it.
LogisticStep StepOfRow(double a, double nu, double y);

// LearnRow sets m ← m + Pφ (y − p) and P ← P − Pφ c/(1 + ν c) φᵀP, where `gain` is Pφ. A row that
// counts ω times is as many of the normal observation that the row comes to, of precision c: c is ω
// times as large, and y − p (1 + ν c) ω/(1 + ω ν c) times.
template <class Gain, class Mean, class Covariance>
void LearnRow(double a, double nu, double y, double weight, const Gain& gain, Mean& mean,
              Covariance& covariance) {
  LogisticStep step = StepOfRow(a, nu, y);
  if (weight != 1) {
    const double more = weight * step.curvature;
    step.slope *= weight * (1 + nu * step.curvature) / (1 + nu * more);
    step.curvature = more;
  }
  mean += gain * step.slope;
  // Symmetric to the last bit.
  const Gain root = gain * std::sqrt(step.curvature / (1 + nu * step.curvature));
  covariance.noalias() -= root * root.transpose();
}

}  // namespace prequel
