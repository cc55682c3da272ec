#include "server/rpc/parts/part_service.h"

#include "server/wire/parts.h"

namespace prequel {

grpc::ServerUnaryReactor* PartServiceImpl::ListParts(grpc::CallbackServerContext* context,
                                                     const v1::ListPartsRequest* request,
                                                     v1::ListPartsResponse* response) {
  const UnaryCall call(context, "ListParts", "", request, response, parts_);
  if (call.Refused()) return call.reactor();
  wire::PartsToProto(response);
  call.Finish(absl::OkStatus());
  return call.reactor();
}

}  // namespace prequel
