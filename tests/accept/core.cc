#include "tests/accept/core.h"

#include "tests/accept/defaults.h"
#include "tests/accept/moving.h"
#include "tests/accept/rules.h"
#include "tests/accept/truth.h"

namespace prequel::accept {

bool RunAcceptance(const std::string& name, Report& report) {
  if (name == "rules" || name.rfind("rules.", 0) == 0) {
    RunRules(name.size() > 6 ? name.substr(6) : "", report);
    return true;
  }
  if (name == "moving" || name.rfind("moving.", 0) == 0) {
    RunMoving(name.size() > 7 ? name.substr(7) : "", report);
    return true;
  }
  if (name == "truth" || name.rfind("truth.", 0) == 0) {
    RunTruth(name.size() > 6 ? name.substr(6) : "", report);
    return true;
  }
  if (name == "defaults" || name.rfind("defaults.", 0) == 0) {
    RunDefaults(name.size() > 9 ? name.substr(9) : "", report);
    return true;
  }
  if (name != "core" && name.rfind("core.", 0) != 0) return false;
  const std::string part = name.size() > 5 ? name.substr(5) : "";
  const auto wants = [&](const char* section) { return part.empty() || part == section; };
  if (wants("oracle")) ConjugateOracle(report);
  if (wants("a1a")) A1aReference(report);
  if (wants("moons")) TwoMoons(report);
  if (wants("streams")) Streams(report);
  if (wants("regression")) Regression(report);
  if (wants("long")) LongRuns(report);
  if (wants("determinism")) Determinism(report);
  return true;
}

}  // namespace prequel::accept
