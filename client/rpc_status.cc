#include "client/rpc_status.h"

#include "client/call_error.h"
#include "google/rpc/status.pb.h"

namespace prequel::client {

absl::Status StatusFromGrpc(const grpc::Status& status) {
  google::rpc::Status proto;
  if (!proto.ParseFromString(status.error_details())) proto.Clear();
  // The trailers' code and message are the authority; the details may be absent.
  proto.set_code(static_cast<int>(status.error_code()));
  proto.set_message(status.error_message());
  return StatusFromProto(proto);
}

}  // namespace prequel::client
