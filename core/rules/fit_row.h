// Rules that fit the rows of a linear model of one logit one by one.
#pragma once

#include <concepts>

#include "absl/status/status.h"
#include "core/expansion/row_expansion.h"
#include "core/rules/conjugate.h"
#include "core/rules/rvga.h"
#include "core/rules/step_report.h"

namespace prequel {

// RowStep is what a row x is worth: m ← m + gradient · P x, P⁻¹ ← P⁻¹ + curvature · x xᵀ, with P as
// it was.
struct RowStep {
  double gradient = 0;
  double curvature = 0;
};

// FitRow finds the step of the row that `row` is of, of which the model says N(mean, variance). For
// likelihoods that have sites (core/likelihoods/expand_row.h) a rule that is implicit and
// linearised makes it by assumed density filtering, which is what its Fit makes of gaussian rows,
// at a fraction of the cost; for others it is to rounding what Fit makes of a minibatch of that row
// alone. INTERNAL when something is not finite.
absl::Status FitRow(const Rvga& rule, RowExpansion& row, double mean, double variance,
                    StepReport& report, RowStep& step);
absl::Status FitRow(const Conjugate& rule, RowExpansion& row, double mean, double variance,
                    StepReport& report, RowStep& step);

// FitsRow: whether the rule can fit rows one by one with these options.
bool FitsRow(const Rvga& rule);
inline bool FitsRow(const Conjugate& /*rule*/) { return true; }

template <class R>
concept RowRule = requires(const R& rule, RowExpansion& row, double x, StepReport& report,
                           RowStep& step) {
  { FitsRow(rule) } -> std::same_as<bool>;
  { FitRow(rule, row, x, x, report, step) } -> std::same_as<absl::Status>;
};

}  // namespace prequel
