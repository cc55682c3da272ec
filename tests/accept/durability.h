// `./dev accept durability`: what is acknowledged is never lost and never counted twice.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// False for a name that is not durability's. Its parts are durability.kill, ….
bool RunDurability(const std::string& name, Report& report);

void KillUnderLoad(Report& report);
void SimulateSchedules(Report& report);
void ReadBesideWrites(Report& report);
void MeasureSpeed(Report& report);
void AnswerBesideSnapshots(Report& report);
void WaitForRevisions(Report& report);
void Soak(Report& report);

}  // namespace prequel::accept
