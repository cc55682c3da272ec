// Whether a model serves, in words.
#pragma once

#include <string>

#include "prequel/v1/model_service.pb.h"

namespace prequel::cli {

// "serving", "starting" or "failed".
std::string StateName(const v1::Model& model);

// StateText is the state's name, with how far a start has come, or with why it failed: "starting:
// 200 of 5,000 records of its log folded again".
std::string StateText(const v1::Model& model);

}  // namespace prequel::cli
