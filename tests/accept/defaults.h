// The parts of `accept defaults`: what somebody gets who sets no option.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// `part` empty: all of them.
void RunDefaults(const std::string& part, Report& report);

void DefaultsExpectations(Report& report);
void DefaultsNoise(Report& report);
void DefaultsSets(Report& report);
void DefaultsCounts(Report& report);
void DefaultsSpeed(Report& report);

}  // namespace prequel::accept
