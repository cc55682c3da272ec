#include "server/engine/work.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

constexpr double kStates = 3;
constexpr double kOverhead = 64 << 10;  // of a model of any size: tables, names, queues
constexpr double kMostBytes = 1e18;

// Share is how many of `rows` take `most` of the `seconds` that all of them would take; at least
// one.
Index Share(Index rows, double seconds, double most) {
  return std::max<Index>(1, static_cast<Index>(static_cast<double>(rows) * most / seconds));
}

}  // namespace

double SecondsToAnswer(const ModelCost& cost, Index rows, const QuerySet& queries, bool timed) {
  const Index times = timed ? rows : std::min<Index>(rows, 1);
  return static_cast<double>(times) * SecondsToPrepare(cost, queries) +
         SecondsOfRows(cost, rows, queries);
}

absl::Status CheckUpdateTime(const ModelCost& cost, Index rows, double most) {
  const double seconds = SecondsToLearn(cost, rows);
  if (seconds <= most) return absl::OkStatus();
  return FieldError(
      "batch", absl::StrFormat("would take about %.0f s to learn, at most %.0f are allowed "
                               "(--max-update-seconds): send about %d rows at a time, or make a "
                               "smaller model or a cheaper posterior",
                               seconds, most, Share(rows, seconds, most)));
}

absl::Status CheckQueryTime(double seconds, Index rows, double most) {
  if (seconds <= most) return absl::OkStatus();
  return FieldError("batch",
                    absl::StrFormat("would take about %.0f s to answer, at most %.0f are allowed "
                                    "(--max-query-seconds): ask for about %d rows at a time, fewer "
                                    "samples or fewer levels",
                                    seconds, most, Share(rows, seconds, most)));
}

ModelBytes BytesOf(const Footprint& footprint) {
  const double held = footprint.made + kStates * footprint.state + kOverhead;
  return {.held = static_cast<std::int64_t>(std::min(held, kMostBytes)),
          .working = static_cast<std::int64_t>(std::min(footprint.scratch, kMostBytes))};
}

}  // namespace prequel
