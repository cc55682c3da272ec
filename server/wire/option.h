// Options of a component or a query, as people write them.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::wire {

// Adds each field of `proto`. INVALID_ARGUMENT names what is no boolean, number, string or list of
// numbers: "PATH.options.KEY".
absl::Status OptionsFromProto(const google::protobuf::Struct& proto, const std::string& path,
                              std::map<std::string, OptionValue>* options);

}  // namespace prequel::wire
