// When the rows of a stream happened: how much time passes between them, in rows of usual ones.
#pragma once

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// EventTimes sums up the rows that were learned and had a time.
struct EventTimes {
  double rows = 0;    // how many, as far as they still count
  double latest = 0;  // the greatest time; of no meaning while rows is 0
  double gap = 0;     // the mean time between two; 0 while rows is below 2

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("rows", s.rows);
    a.Value("latest", s.latest);
    a.Value("gap", s.gap);
  }

  bool IsSound() const;
};

// How late a row may come, in mean gaps behind the latest row that was learned.
inline constexpr double kMostLate = 1000;

// CheckTimes: INVALID_ARGUMENT names the row ("batch.times[3]") unless there are no times, or one
// for each of `rows` rows, finite, and, of rows that come one after the other, not decreasing.
absl::Status CheckTimes(const Vector& times, Index rows, bool in_turn);

// PassedInTurn computes the time that has passed from the latest row that was learned to each of
// these, which come one after the other, in mean gaps. What a row adds is at most 10⁶, and nothing
// where it is late; one row's worth while no gap is known. REQUIRES: CheckTimes. INVALID_ARGUMENT
// names a row that is later than kMostLate.
absl::Status PassedInTurn(const EventTimes& seen, const Vector& times, Vector& passed);

// PassedTo returns the time that has passed, likewise, to a single row, which is the next, however
// late it is.
double PassedTo(const EventTimes& seen, double time);

// AbsorbTimes adds rows that have passed PassedInTurn. The mean gap is that of about the last
// 10,000 rows.
void AbsorbTimes(const Vector& times, EventTimes& seen);

}  // namespace prequel
