// Servers that start on what they should not have to: heavy logs, and damaged ones.
#pragma once

#include "tests/accept/check.h"

namespace prequel::accept {

// A bystander beside both.
void BearStarts(Report& report);

// Heavy models are replayed, while a light one serves.
void ReplayHeavyLogs(Report& report);
// One model has lost the end of its log, of another a bit is flipped.
void ServeBesideDamage(Report& report);

}  // namespace prequel::accept
