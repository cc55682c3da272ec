// The parts of `accept moving`: worlds that move, by default dynamics.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// `part` empty: all of them.
void RunMoving(const std::string& part, Report& report);

void MovingStreams(Report& report);
void MovingMade(Report& report);
void MovingStationary(Report& report);
void MovingHindsight(Report& report);
void MovingCalibration(Report& report);
void MovingPrior(Report& report);
void MovingCost(Report& report);
void MovingLongRun(Report& report);
void MovingRobust(Report& report);

}  // namespace prequel::accept
