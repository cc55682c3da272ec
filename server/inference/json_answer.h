// Answers of the open inference protocol as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "inference/grpc_predict_v2.pb.h"

namespace prequel {

struct JsonAnswer {
  std::string body;
  std::size_t json_length = 0;  // > 0: of the JSON; raw contents follow
};

// The outputs that `request` wants as binary data, one by one or all of them, follow the JSON.
// REQUIRES: the response's contents are raw.
JsonAnswer JsonOf(const inference::ModelInferRequest& request,
                  const inference::ModelInferResponse& response);

std::string JsonOf(const inference::ServerMetadataResponse& response);
std::string JsonOf(const inference::ModelMetadataResponse& response);
std::string JsonOf(const std::string& model, const inference::ModelReadyResponse& response);

}  // namespace prequel
