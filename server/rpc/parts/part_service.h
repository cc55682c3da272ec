// What a model can be made of: the same of every server of one version.
#pragma once

#include <utility>

#include "prequel/v1/part_service.grpc.pb.h"
#include "server/rpc/call.h"

namespace prequel {

class PartServiceImpl final : public v1::PartService::CallbackService {
 public:
  explicit PartServiceImpl(CallParts parts) : parts_(std::move(parts)) {}

  grpc::ServerUnaryReactor* ListParts(grpc::CallbackServerContext* context,
                                      const v1::ListPartsRequest* request,
                                      v1::ListPartsResponse* response) override;

 private:
  const CallParts parts_;
};

}  // namespace prequel
