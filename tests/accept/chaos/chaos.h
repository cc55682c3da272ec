// Everything that can go wrong, at once.
#pragma once

#include "tests/accept/check.h"

namespace prequel::accept {

// For an hour, or PREQUEL_CHAOS_SECONDS of them.
void BearChaos(Report& report);

}  // namespace prequel::accept
