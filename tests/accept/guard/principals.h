// A hundred principals, one of whom is greedy.
#pragma once

#include "tests/accept/check.h"

namespace prequel::accept {

void BearGreed(Report& report);

}  // namespace prequel::accept
