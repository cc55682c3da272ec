#include "tests/accept/defaults.h"

namespace prequel::accept {

void DefaultsSpeed(Report& report) { report.Skip("defaults.speed", "not written yet"); }

}  // namespace prequel::accept
