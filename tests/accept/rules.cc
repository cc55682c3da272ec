#include "tests/accept/rules.h"

namespace prequel::accept {

void RunRules(const std::string& part, Report& report) {
  const auto wants = [&](const char* section) { return part.empty() || part == section; };
  if (wants("logistic")) RulesLogistic(report);
  if (wants("a1a")) SlangA1a(report);
  if (wants("convergence")) RulesConvergence(report);
  if (wants("calibration")) RulesCalibration(report);
  if (wants("continual")) RulesContinual(report);
  if (wants("one_pass")) RulesOnePass(report);
  if (wants("uci")) RulesUci(report);
  if (wants("speed")) RulesSpeed(report);
}

}  // namespace prequel::accept
