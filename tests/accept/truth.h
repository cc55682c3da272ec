// The parts of `accept truth`: whether what is served is the posterior, by part and not only on the
// whole.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// `part` empty: all of them.
void RunTruth(const std::string& part, Report& report);

void TruthMeanFunction(Report& report);
void TruthOrder(Report& report);
void TruthCategories(Report& report);
void TruthHorizon(Report& report);
void TruthMissing(Report& report);
void TruthQuantileSides(Report& report);
void TruthFalseAlarms(Report& report);
void TruthDelays(Report& report);

}  // namespace prequel::accept
