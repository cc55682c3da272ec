// Calls whose message never comes.
#pragma once

#include <memory>

#include "tests/accept/guard/attacks/attack.h"

namespace prequel::accept {

// 256 on each of 250 connections.
std::unique_ptr<Attack> SilentCalls(const Entrance& server);

}  // namespace prequel::accept
