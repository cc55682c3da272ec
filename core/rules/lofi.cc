#include "core/rules/lofi.h"

#include <string>

namespace prequel {

absl::Status Lofi::Configure(Options& options) {
  options.Describe("an extended Kalman filter with a low-rank precision",
                   "a pass over the minibatch, and a decomposition of rank + rows columns");
  std::string mode_name = "recursive", variant = "diagonal";
  options.Help("every minibatch is new data").Choice("mode", &mode_name, {"recursive"});
  options.Help("whether the diagonal is a number for each weight or one for all")
      .Choice("variant", &variant, {"diagonal", "spherical"});
  compression.kind =
      variant == "spherical" ? Compression::Kind::kDrop : Compression::Kind::kKeepDiagonal;
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
