#include "core/dynamics/event_times.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

constexpr double kMostPassed = 1e6;  // before one row: as good as for ever to any drift
constexpr double kWindow = 10000;    // rows that the mean gap remembers
constexpr double kLongest = 1e100;   // of a time, so that differences are finite

std::string FieldOf(Index row) { return absl::StrCat("batch.times[", row, "]"); }

double InGaps(const EventTimes& seen, double time) {
  return seen.gap > 0 ? std::clamp(time / seen.gap, 0.0, kMostPassed) : 1;
}

}  // namespace

bool EventTimes::IsSound() const {
  return rows >= 0 && rows <= kWindow && std::abs(latest) <= kLongest && gap >= 0 &&
         gap <= 2 * kLongest;
}

absl::Status CheckTimes(const Vector& times, Index rows, bool in_turn) {
  if (times.size() == 0) return absl::OkStatus();
  if (times.size() != rows) {
    return FieldError("batch.times", absl::StrCat("must be ", rows, ", one per row of inputs, got ",
                                                  times.size()));
  }
  for (Index i = 0; i < rows; ++i) {
    if (!(std::abs(times[i]) <= kLongest)) {
      return FieldError(FieldOf(i),
                        absl::StrCat("must be finite and at most 1e100, got ", times[i]));
    }
    if (in_turn && i > 0 && times[i] < times[i - 1]) {
      return FieldError(FieldOf(i), absl::StrCat("is ", times[i - 1] - times[i],
                                                 " before the row before it: sort the rows of a "
                                                 "minibatch by time"));
    }
  }
  return absl::OkStatus();
}

absl::Status PassedInTurn(const EventTimes& seen, const Vector& times, Vector& passed) {
  passed.resize(times.size());
  double latest = seen.latest, sum = 0;
  for (Index i = 0; i < times.size(); ++i) {
    const bool first = seen.rows == 0 && i == 0;
    const double since = first ? 0 : times[i] - latest;
    if (seen.gap > 0 && -since > kMostLate * seen.gap) {
      return FieldError(FieldOf(i), absl::StrCat("is ", -since,
                                                 " before the latest row that was learned; a "
                                                 "row may be late by ",
                                                 kMostLate * seen.gap, ", which is ", kMostLate,
                                                 " of the mean gaps between rows"));
    }
    sum += first ? 1 : InGaps(seen, since);
    passed[i] = sum;
    latest = first ? times[i] : std::max(latest, times[i]);
  }
  return absl::OkStatus();
}

double PassedTo(const EventTimes& seen, double time) {
  return seen.rows == 0 ? 1 : InGaps(seen, time - seen.latest);
}

void AbsorbTimes(const Vector& times, EventTimes& seen) {
  for (const double time : times) {
    if (seen.rows == 0) {
      seen = {.rows = 1, .latest = time};
      continue;
    }
    const double since = std::max(0.0, time - seen.latest);
    seen.gap += (since - seen.gap) / seen.rows;
    seen.rows = std::min(seen.rows + 1, kWindow);
    seen.latest = std::max(seen.latest, time);
  }
}

}  // namespace prequel
