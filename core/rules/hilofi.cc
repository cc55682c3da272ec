#include "core/rules/hilofi.h"

#include <string>

#include "core/rules/explicit_step.h"

namespace prequel {

absl::Status Hilofi::Configure(Options& options) {
  options.Describe("a full covariance of the last layer, one of low rank of the hidden layers",
                   "a pass over the minibatch, and a decomposition of rank + rows columns");
  std::string mode_name = "recursive";
  options.Help("every minibatch is new data").Choice("mode", &mode_name, {"recursive"});
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
