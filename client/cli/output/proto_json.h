// Protocol buffers as JSON, with the field names of the .proto files.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace prequel::cli {

// ToJson makes one document without a line break at its end, nor within it if it is to be one line;
// every field is present, defaults included.
std::string ToJson(const google::protobuf::Message& message, bool one_line = false);

// Replaces `message`. INVALID_ARGUMENT, naming the place, for anything it does not understand.
absl::Status FromJson(const std::string& json, google::protobuf::Message* message);

// The content of the file at `path`, "-" being the standard input. NOT_FOUND when it cannot be
// read.
absl::StatusOr<std::string> ReadText(const std::string& path);

// FromJsonFile reads that file as FromJson does; errors name it.
absl::Status FromJsonFile(const std::string& path, google::protobuf::Message* message);

}  // namespace prequel::cli
