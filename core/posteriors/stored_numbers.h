// How large a posterior will be, known before it is made.
#pragma once

#include "core/models/layer.h"
#include "core/posteriors/posterior.h"

namespace prequel {

// Numbers of a posterior made of `prototype` over the D weights of `layers`: the mean and
//   full              D² of a covariance
//   block_diagonal    Σ d², of the layers' d weights
//   per_unit          Σ o c²
//   kronecker         Σ c² + o² + 2 c + o
//   last_layer, subnetwork   s² and s, of the s weights that vary
//   low_rank          D (L + 1)
//   low_rank_hidden   D_h (L + 1) + D_l²
//   diagonal          D
double StoredNumbers(const Posterior& prototype, const Layers& layers);

}  // namespace prequel
