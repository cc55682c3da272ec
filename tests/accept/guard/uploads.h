// Requests that begin and never end, which no client library would send.
#pragma once

#include <memory>
#include <string>

#include "tests/accept/guard/attack.h"

namespace prequel::accept {

// 4 connections of 250 Predicts of 15 MiB each, of which the last byte does not come.
std::unique_ptr<Attack> EndlessUploads(const std::string& server);

}  // namespace prequel::accept
