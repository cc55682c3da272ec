// The open inference protocol by gRPC: inference.GRPCInferenceService.
#pragma once

#include <utility>

#include "inference/grpc_predict_v2.grpc.pb.h"
#include "server/inference/inference_face.h"
#include "server/rpc/call.h"

namespace prequel {

class InferenceServiceImpl final : public inference::GRPCInferenceService::CallbackService {
 public:
  // `face` outlives the service.
  InferenceServiceImpl(const InferenceFace& face, CallParts parts)
      : face_(face), parts_(std::move(parts)) {}

  // Health is for everybody, as grpc.health.v1 is.
  grpc::ServerUnaryReactor* ServerLive(grpc::CallbackServerContext* context,
                                       const inference::ServerLiveRequest* request,
                                       inference::ServerLiveResponse* response) override;
  grpc::ServerUnaryReactor* ServerReady(grpc::CallbackServerContext* context,
                                        const inference::ServerReadyRequest* request,
                                        inference::ServerReadyResponse* response) override;

  grpc::ServerUnaryReactor* ServerMetadata(grpc::CallbackServerContext* context,
                                           const inference::ServerMetadataRequest* request,
                                           inference::ServerMetadataResponse* response) override;
  grpc::ServerUnaryReactor* ModelReady(grpc::CallbackServerContext* context,
                                       const inference::ModelReadyRequest* request,
                                       inference::ModelReadyResponse* response) override;
  grpc::ServerUnaryReactor* ModelMetadata(grpc::CallbackServerContext* context,
                                          const inference::ModelMetadataRequest* request,
                                          inference::ModelMetadataResponse* response) override;
  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const inference::ModelInferRequest* request,
                                       inference::ModelInferResponse* response) override;

 private:
  const InferenceFace& face_;
  const CallParts parts_;
};

}  // namespace prequel
