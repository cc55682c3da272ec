#include "tests/accept/defaults.h"

namespace prequel::accept {

void DefaultsExpectations(Report& report) {
  report.Skip("defaults.expectations", "not written yet");
}

}  // namespace prequel::accept
