#include "core/rules/hilofi.h"

#include <string>

#include "core/rules/explicit_step.h"

namespace prequel {

absl::Status Hilofi::Configure(Options& options) {
  std::string mode_name = "recursive";
  options.Choice("mode", &mode_name, {"recursive"});
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
