// The parts of `accept rules`.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// `part` empty: all of them.
void RunRules(const std::string& part, Report& report);

void RulesLogistic(Report& report);
void SlangA1a(Report& report);
void RulesConvergence(Report& report);
void RulesCalibration(Report& report);
void RulesContinual(Report& report);
void RulesOnePass(Report& report);
void RulesUci(Report& report);
void RulesSpeed(Report& report);

}  // namespace prequel::accept
