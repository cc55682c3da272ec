// Requests that begin and never end, which no client library would send.
#pragma once

#include <memory>

#include "tests/accept/guard/attacks/attack.h"
#include "tests/accept/guard/entrance.h"

namespace prequel::accept {

// 4 connections of 250 Predicts of 15 MiB each, of which the last byte does not come.
std::unique_ptr<Attack> EndlessUploads(const Entrance& server);

}  // namespace prequel::accept
