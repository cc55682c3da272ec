// What the service may answer to nonsense.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/config/field_error.h"
#include "google/protobuf/stubs/logging.h"
#include "google/rpc/status.pb.h"
#include "server/rpc/grpc_error.h"
#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz {

// Protocol Buffers would print a line for every string that is not UTF-8.
inline const bool kSilent = [] {
  google::protobuf::SetLogHandler(nullptr);
  return true;
}();

// Every error can travel: a message that is not UTF-8 would reach the client as a broken one.
inline void RequireReadable(const absl::Status& status) {
  google::rpc::Status back;
  Require(back.ParseFromString(RpcError(status, "m").SerializeAsString()),
          "an error can be read by the client", status.ToString());
}

// So too, and one of a client's making names its field.
inline void RequireTold(const absl::Status& status) {
  const std::string message(status.message());
  Require(!message.empty(), "an error says what is wrong", status.ToString());
  const std::optional<std::string> field = FieldOf(status);
  if (absl::IsInvalidArgument(status)) {
    Require(field.has_value() && !field->empty(), "a refusal names its field", status.ToString());
    Require(message.starts_with(*field + ": "), "a refusal begins with its field", message);
  }
  RequireReadable(status);
}

}  // namespace prequel::fuzz
