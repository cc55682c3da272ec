#include "core/rules/lrvga.h"

#include <string>

namespace prequel {

absl::Status Lrvga::Configure(Options& options) {
  std::string mode_name = "recursive";
  options.Choice("mode", &mode_name, {"recursive"});
  options.Integer("loops", &loops, 1, 1000);
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
