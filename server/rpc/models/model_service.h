// Models as resources. Each method: convert, call, map status, count.
#pragma once

#include <utility>

#include "prequel/v1/model_service.grpc.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/call_memory.h"
#include "server/rpc/call_pool.h"
#include "server/rpc/models/model_transfer.h"

namespace prequel {

// ModelMethods has the methods of v1::ModelService::CallbackService, except that ImportModel's
// messages come as bytes.
template <class Service>
using WithImport = v1::ModelService::WithRawCallbackMethod_ImportModel<Service>;
template <class Service>
using WithModels = v1::ModelService::WithCallbackMethod_CreateModel<
    v1::ModelService::WithCallbackMethod_GetModel<v1::ModelService::WithCallbackMethod_ListModels<
        v1::ModelService::WithCallbackMethod_DeleteModel<
            v1::ModelService::WithCallbackMethod_ForkModel<
                v1::ModelService::WithCallbackMethod_ExportModel<Service>>>>>>;
template <class Service>
using WithRevisions = v1::ModelService::WithCallbackMethod_CreateSnapshot<
    v1::ModelService::WithCallbackMethod_ListRevisions<
        v1::ModelService::WithCallbackMethod_RollbackModel<Service>>>;
using ModelMethods = WithImport<WithModels<WithRevisions<v1::ModelService::Service>>>;

class ModelServiceImpl final : public ModelMethods {
 public:
  // All must outlive the service.
  ModelServiceImpl(Engine& engine, const CallPools& pools, CallParts parts);

  grpc::ServerUnaryReactor* CreateModel(grpc::CallbackServerContext* context,
                                        const v1::CreateModelRequest* request,
                                        v1::Model* response) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::Model* response) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  grpc::ServerUnaryReactor* DeleteModel(grpc::CallbackServerContext* context,
                                        const v1::DeleteModelRequest* request,
                                        google::protobuf::Empty* response) override;
  grpc::ServerUnaryReactor* CreateSnapshot(grpc::CallbackServerContext* context,
                                           const v1::CreateSnapshotRequest* request,
                                           v1::Snapshot* response) override;

  grpc::ServerUnaryReactor* ListRevisions(grpc::CallbackServerContext* context,
                                          const v1::ListRevisionsRequest* request,
                                          v1::ListRevisionsResponse* response) override;
  grpc::ServerUnaryReactor* RollbackModel(grpc::CallbackServerContext* context,
                                          const v1::RollbackModelRequest* request,
                                          v1::Model* response) override;
  grpc::ServerUnaryReactor* ForkModel(grpc::CallbackServerContext* context,
                                      const v1::ForkModelRequest* request,
                                      v1::Model* response) override;
  grpc::ServerWriteReactor<v1::ModelFilePiece>* ExportModel(
      grpc::CallbackServerContext* context, const v1::ExportModelRequest* request) override;
  grpc::ServerReadReactor<grpc::ByteBuffer>* ImportModel(grpc::CallbackServerContext* context,
                                                         grpc::ByteBuffer* response) override;

 private:
  absl::Status Revisions(const v1::ListRevisionsRequest& request,
                         v1::ListRevisionsResponse* response) const;
  absl::Status TakeSnapshot(const v1::CreateSnapshotRequest& request, v1::Snapshot* response);
  absl::Status Rollback(const UnaryCall& call, const v1::RollbackModelRequest& request,
                        v1::Model* response);
  absl::Status Fork(const UnaryCall& call, const v1::ForkModelRequest& request,
                    v1::Model* response);
  absl::Status Create(const UnaryCall& call, const v1::CreateModelRequest& request,
                      v1::Model* response);
  absl::Status Get(const v1::GetModelRequest& request, v1::Model* response) const;
  absl::Status List(const UnaryCall& call, const v1::ListModelsRequest& request,
                    v1::ListModelsResponse* response) const;
  absl::Status Delete(const v1::DeleteModelRequest& request);

  Engine& engine_;
  const CallPools pools_;
  const CallParts parts_;
  CallMessages<v1::CreateModelRequest, v1::Model> create_model_;
  CallMessages<v1::GetModelRequest, v1::Model> get_model_;
  CallMessages<v1::ListModelsRequest, v1::ListModelsResponse> list_models_;
  CallMessages<v1::ListRevisionsRequest, v1::ListRevisionsResponse> list_revisions_;
  CallMessages<v1::RollbackModelRequest, v1::Model> rollback_model_;
  CallMessages<v1::ForkModelRequest, v1::Model> fork_model_;
};

}  // namespace prequel
