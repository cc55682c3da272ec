#include "core/distributions/student_t_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr double kLeastDof = 40;  // of Hill's expansion

}  // namespace

void StudentTRows::Evaluate(std::span<const StudentT> of, std::span<const double> y,
                            std::span<double> log_densities, std::span<double> cdfs) {
  const auto rows = static_cast<Index>(of.size());
  const double dof = of.front().dof;
  // The rows are copied to arrays of our own: where a packet begins, and so the last bit of a
  // logarithm, must not depend on where the caller's memory lies.
  z_.resize(rows);
  term_.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    const StudentT& t = of[static_cast<std::size_t>(i)];
    z_[i] = (y[static_cast<std::size_t>(i)] - t.location) / t.scale;
    term_[i] = t.scale;
  }
  log_ = -term_.log();
  std::copy(log_.begin(), log_.end(), log_densities.begin());
  if (std::isinf(dof)) {
    tail_ = -0.5 * z_.square() - 0.5 * std::log(2 * std::numbers::pi);
    for (std::size_t i = 0; i < of.size(); ++i) {
      log_densities[i] += tail_[static_cast<Index>(i)];
      cdfs[i] = NormalCdf(z_[static_cast<Index>(i)]);
    }
    return;
  }
  // log(1 + u), whose rounding is made good by that of 1 + u.
  term_ = z_.square() / dof;
  inverse_ = 1 + term_;
  log_ = inverse_.log() * term_ / (inverse_ - 1);
  for (Index i = 0; i < rows; ++i) {
    if (inverse_[i] == 1) log_[i] = term_[i];
  }
  inverse_ = inverse_.inverse();
  const double log_norm = LogGammaHalfStep(dof / 2) - 0.5 * std::log(dof * std::numbers::pi);
  tail_ = log_norm - 0.5 * (dof + 1) * log_;  // of the standard density
  for (std::size_t i = 0; i < of.size(); ++i) log_densities[i] += tail_[static_cast<Index>(i)];
  double raised = dof;
  if (dof < kLeastDof) {
    term_ = (2 / dof) * z_.abs() * tail_.exp();
    tail_.setZero();
    for (; raised < kLeastDof; raised += 2) {
      tail_ += term_;
      term_ *= ((raised + 1) / (raised + 2)) * inverse_;
    }
    tail_ *= 0.5;
  } else {
    tail_.setZero();
  }
  const double a = raised - 0.5, b = 48 * a * a;
  term_ = a * log_;
  deviate_ =
      ((((-0.4 * term_ - 3.3) * term_ - 24) * term_ - 85.5) / (0.8 * term_.square() + (100 + b)) +
       term_ + 3) /
          b +
      1;
  deviate_ *= term_.sqrt();
  for (Index i = 0; i < rows; ++i) {
    const double tail = tail_[i] + NormalCdf(-deviate_[i]);
    cdfs[static_cast<std::size_t>(i)] = z_[i] < 0 ? tail : 1 - tail;
  }
}

double QuickCdf(const StudentT& t, double y) {
  const double z = (y - t.location) / t.scale;
  if (std::isinf(t.dof)) return NormalCdf(z);
  const double u = z * z / t.dof, log = std::log1p(u);
  double raised = t.dof, sum = 0;
  if (raised < kLeastDof) {
    const double density =
        std::exp(LogGammaHalfStep(t.dof / 2) - 0.5 * std::log(t.dof * std::numbers::pi) -
                 0.5 * (t.dof + 1) * log);
    double term = (2 / t.dof) * std::abs(z) * density;
    for (; raised < kLeastDof; raised += 2) {
      sum += term;
      term *= (raised + 1) / ((raised + 2) * (1 + u));
    }
  }
  const double a = raised - 0.5, b = 48 * a * a, w = a * log;
  const double series =
      ((((-0.4 * w - 3.3) * w - 24) * w - 85.5) / (0.8 * w * w + (100 + b)) + w + 3) / b + 1;
  const double tail = 0.5 * sum + NormalCdf(-series * std::sqrt(w));
  return z < 0 ? tail : 1 - tail;
}

}  // namespace prequel
