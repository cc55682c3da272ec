// Calls that are begun and given up at once.
#pragma once

#include <memory>

#include "tests/accept/guard/attacks/attack.h"

namespace prequel::accept {

std::unique_ptr<Attack> Resets(const Entrance& server);

}  // namespace prequel::accept
