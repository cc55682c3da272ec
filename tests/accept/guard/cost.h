// What TLS and a token cost those who use them.
#pragma once

#include "tests/accept/check.h"

namespace prequel::accept {

void MeasureCost(Report& report);

}  // namespace prequel::accept
