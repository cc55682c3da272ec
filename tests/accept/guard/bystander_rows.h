// What a bystander is promised, as rows of a report.
#pragma once

#include <chrono>
#include <string>

#include "tests/accept/check.h"
#include "tests/accept/guard/bystander.h"
#include "tests/accept/guard/program.h"

namespace prequel::accept {

// How long it is looked at: before, beside `name`, and once all has to be as before.
inline constexpr std::chrono::seconds kQuiet(4), kBeside(8), kAfter(4);
// All is as before by then.
inline constexpr std::chrono::seconds kRecovery(5);

// Of a server that has just started.
Stretch TakeQuiet(Bystander& bystander);

// `beside`: while `name` was going on.
void AddBeside(const std::string& name, const Stretch& beside, const Stretch& quiet,
               Report& report);

// Looks whether all is as before, now that `name` is over.
void AddAfter(const std::string& name, Bystander& bystander, const Stretch& quiet, Report& report);

// Ends the server: what it has logged must not fill a disk.
void AddLog(const std::string& name, Program& program, Report& report);

}  // namespace prequel::accept
