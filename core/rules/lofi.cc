#include "core/rules/lofi.h"

#include <string>

namespace prequel {

absl::Status Lofi::Configure(Options& options) {
  std::string mode_name = "recursive", variant = "diagonal";
  options.Choice("mode", &mode_name, {"recursive"});
  options.Choice("variant", &variant, {"diagonal", "spherical"});
  compression.kind =
      variant == "spherical" ? Compression::Kind::kDrop : Compression::Kind::kKeepDiagonal;
  ConfigureExpectation(options, &expectation);
  return options.Finish();
}

}  // namespace prequel
