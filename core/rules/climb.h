// The climb of R-VGA (core/rules/rvga.h) to the maximum of a local ELBO, however that is held.
#pragma once

#include <cmath>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/rules/rvga.h"
#include "core/rules/step_report.h"

namespace prequel {

// An objective stands at a Gaussian q, at first at the prior, with
//   FirstValue()      the local ELBO there, nats
//   Curve()           curvature and direction at the q last valued
//   KeepCurve()       instead, the curvature before, and its direction
//   Move(ρ), Value()  q + ρ · direction with that curvature, and the ELBO there
//   Accept()          keeps the last Move
//   Revert()          goes back to q as it was before Curve
//   kl()              KL(q ‖ prior), nats

// ClimbAlong moves along the direction by ρ = 1, ½, … until the objective exceeds `floor`; false
// when it never does, and then *value is of the last ρ.
template <class Objective>
bool ClimbAlong(Objective& objective, double floor, int halvings, double* value) {
  double rho = 1;
  for (int halving = 0; halving <= halvings; ++halving, rho /= 2) {
    objective.Move(rho);
    *value = objective.Value();
    if (*value >= floor) return true;
  }
  return false;
}

// ClimbOnce is one pass from q^k, whose objective is `floor`: the undamped curvature, and where
// that misleads (far from the optimum, where H(q^k) says little of H(q^{k+1})) the curvature that
// q^k has.
template <class Objective>
absl::StatusOr<bool> ClimbOnce(Objective& objective, double floor, double* value) {
  constexpr int kCurvedHalvings = 6, kKeptHalvings = 40;
  if (absl::Status status = objective.Curve(); !status.ok()) return status;
  if (ClimbAlong(objective, floor, kCurvedHalvings, value)) return true;
  objective.KeepCurve();
  return ClimbAlong(objective, floor, kKeptHalvings, value);
}

// Climb is the whole climb for a minibatch of `rows` rows, by the rule's scheme. INTERNAL when
// something is not finite.
template <class Objective>
absl::Status Climb(const Rvga& rule, Objective& objective, Index rows, StepReport& report) {
  double value = objective.FirstValue();
  if (!std::isfinite(value)) {
    return absl::InternalError("the expected log-likelihood of the minibatch is not finite");
  }
  if (rule.scheme == Rvga::Scheme::kExplicit) {
    if (absl::Status status = objective.Curve(); !status.ok()) return status;
    objective.Move(1.0);
    objective.Accept();
    report.passes = 1;
    report.kl = objective.kl();
    return absl::OkStatus();
  }
  report.converged = false;
  for (Index pass = 1; pass <= rule.passes && !report.converged; ++pass) {
    double next_value = value;
    const absl::StatusOr<bool> climbed = ClimbOnce(objective, value, &next_value);
    if (!climbed.ok()) return climbed.status();
    report.passes = static_cast<int>(pass);
    if (!*climbed) {  // nothing near q^k is better: it is the fixed point, to rounding
      objective.Revert();
      report.converged = true;
      break;
    }
    objective.Accept();
    report.residual = (next_value - value) / static_cast<double>(rows);
    report.converged = std::abs(report.residual) <= rule.tolerance;
    value = next_value;
  }
  report.local_elbo = value;
  report.kl = objective.kl();
  return absl::OkStatus();
}

}  // namespace prequel
