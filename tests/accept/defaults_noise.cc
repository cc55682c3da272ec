#include "tests/accept/defaults.h"

namespace prequel::accept {

void DefaultsNoise(Report& report) { report.Skip("defaults.noise", "not written yet"); }

}  // namespace prequel::accept
