#include "tests/accept/truth.h"

namespace prequel::accept {

void RunTruth(const std::string& part, Report& report) {
  const auto wants = [&](const char* section) { return part.empty() || part == section; };
  if (wants("mean_function")) TruthMeanFunction(report);
  if (wants("order")) TruthOrder(report);
  if (wants("categories")) TruthCategories(report);
  if (wants("horizon")) TruthHorizon(report);
  if (wants("missing")) TruthMissing(report);
  if (wants("quantile_sides")) TruthQuantileSides(report);
  if (wants("false_alarms")) TruthFalseAlarms(report);
  if (wants("delays")) TruthDelays(report);
}

}  // namespace prequel::accept
