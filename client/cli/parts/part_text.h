// Parts and their options for people.
#pragma once

#include <string>
#include <string_view>

#include "prequel/v1/part_service.pb.h"

namespace prequel::cli {

// "10", "[0.5, 0.9]", "linearized"; empty for nothing.
std::string DefaultText(const google::protobuf::Value& value);

// The default of an option and those in its place when something is chosen: "0.1; 0.01 with mode
// dataset". "needed", or "-", where there is none.
std::string DefaultsText(const v1::PartOption& option);

// A line for each part: kind, name and help.
std::string PartsText(const v1::ListPartsResponse& parts);

// All of one part: options with default, range and help, and what it goes with.
std::string PartText(const v1::Part& part);

// The tables of docs/parts.md, one for each kind.
std::string PartsMarkdown(const v1::ListPartsResponse& parts);

// PartNames is for programs: a line KIND.NAME for each part and KIND.NAME.OPTION for each option.
std::string PartNames(const v1::ListPartsResponse& parts);

}  // namespace prequel::cli
