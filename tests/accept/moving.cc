#include "tests/accept/moving.h"

namespace prequel::accept {

void RunMoving(const std::string& part, Report& report) {
  const auto wants = [&](const char* section) { return part.empty() || part == section; };
  if (wants("streams")) MovingStreams(report);
  if (wants("made")) MovingMade(report);
  if (wants("stationary")) MovingStationary(report);
  if (wants("hindsight")) MovingHindsight(report);
  if (wants("calibration")) MovingCalibration(report);
  if (wants("prior")) MovingPrior(report);
  if (wants("robust")) MovingRobust(report);
  if (wants("cost")) MovingCost(report);
  if (wants("long_run")) MovingLongRun(report);
}

}  // namespace prequel::accept
