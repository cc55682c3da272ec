// Weights of a network trained elsewhere, from a file to a model's prior.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "prequel/v1/config.pb.h"

namespace prequel::cli {

enum class WeightsRole { kMeans, kVariances };

// Adds the numbers in the file at `path` ("-": the standard input; gzip is unpacked) to the arrays
// of the prior "imported", as its means or as its variances. The file is
//   .npy   of one dimension: all weights; of two: those of the only layer
//   JSON   a list of numbers: all weights; or a list of layers, {"weights": [[…], …], "bias": […]}
// Whether they fit the network is the server's to say. NOT_FOUND when the file cannot be read;
// other errors name the file and what in it is wrong.
absl::Status ReadWeights(const std::string& path, WeightsRole role, v1::Component* prior);

}  // namespace prequel::cli
