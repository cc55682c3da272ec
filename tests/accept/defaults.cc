#include "tests/accept/defaults.h"

namespace prequel::accept {

void RunDefaults(const std::string& part, Report& report) {
  const auto wants = [&](const char* section) { return part.empty() || part == section; };
  if (wants("expectations")) DefaultsExpectations(report);
  if (wants("noise")) DefaultsNoise(report);
  if (wants("sets")) DefaultsSets(report);
  if (wants("counts")) DefaultsCounts(report);
  if (wants("speed")) DefaultsSpeed(report);
}

}  // namespace prequel::accept
