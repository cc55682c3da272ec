// `./dev accept guard`: nobody can take the service from the others.
#pragma once

#include <string>

#include "tests/accept/check.h"

namespace prequel::accept {

// False for a name that is not guard's. Its parts are guard.attacks, ….
bool RunGuard(const std::string& name, Report& report);

// Each attack with a bystander beside it.
void BearAttacks(Report& report);
// A light model beside heavy ones.
void ShareEvenly(Report& report);
// What deleting and stopping leave undone.
void StopAtOnce(Report& report);

}  // namespace prequel::accept
