// Predictions that no data warrant, told where scores are shown.
#pragma once

#include <string>

#include "prequel/v1/prediction.pb.h"

namespace prequel::cli {

// A line that names the model, by how much, and what to try; "" when there is nothing to say:
//   crps > 3 mae     the distributions are far wider than their errors. Of a normal predictive k
//                    times as wide as the errors crps/mae is 0.29 k, and 0.7 at k = 1
//   rmse > 0.3 √n mae, but at least 10 and at most 100 times
//                    a few predictions are absurd: the ratio is at most √n, which it comes near
//                    where one of n errors outweighs all others
std::string SpreadWarning(const std::string& model, const v1::Scores& scores);

}  // namespace prequel::cli
