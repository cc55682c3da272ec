// A posterior's options, with that of how it is stored.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/archive/archive.h"
#include "core/config/options.h"
#include "core/models/layer.h"

namespace prequel {

template <class Q>
absl::Status ConfigureStored(Q& prototype, Options& options, const Layers& layers,
                             Storage* storage) {
  if (Q::kIsVectors) {
    std::string name = "float64";
    options.Help("how the model is kept between minibatches: float32 takes half")
        .Choice("storage", &name, {"float64", "float32"});
    *storage = name == "float32" ? Storage::kFloat32 : Storage::kFloat64;
  }
  return prototype.Configure(options, layers);
}

}  // namespace prequel
