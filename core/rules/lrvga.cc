#include "core/rules/lrvga.h"

#include <string>

namespace prequel {

absl::Status Lrvga::Configure(Options& options) {
  options.Describe("rvga in low rank, by inner loops of factor analysis",
                   "a pass over the minibatch, and the loops");
  std::string mode_name = "recursive";
  options.Help("every minibatch is new data").Choice("mode", &mode_name, {"recursive"});
  options.Help("inner loops of the low-rank fit").Integer("loops", &loops, 1, 1000);
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
