// The parts of `accept core`.
#pragma once

#include "tests/accept/check.h"

namespace prequel::accept {

void ConjugateOracle(Report& report);
void A1aReference(Report& report);
void TwoMoons(Report& report);
void Streams(Report& report);
void Regression(Report& report);
void LongRuns(Report& report);
void Determinism(Report& report);

}  // namespace prequel::accept
