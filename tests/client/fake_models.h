// The service of models, as a FakeServer has it.
#pragma once

#include "prequel/v1/model_service.grpc.pb.h"
#include "tests/client/fake_state.h"

namespace prequel::client {

class FakeModels final : public v1::ModelService::Service {
 public:
  explicit FakeModels(FakeState& state) : state_(state) {}

  grpc::Status CreateModel(grpc::ServerContext*, const v1::CreateModelRequest* request,
                           v1::Model* model) override;
  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::Model* model) override;
  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override;
  grpc::Status DeleteModel(grpc::ServerContext*, const v1::DeleteModelRequest*,
                           google::protobuf::Empty*) override;
  grpc::Status CreateSnapshot(grpc::ServerContext*, const v1::CreateSnapshotRequest*,
                              v1::Snapshot* snapshot) override;
  grpc::Status ListRevisions(grpc::ServerContext*, const v1::ListRevisionsRequest*,
                             v1::ListRevisionsResponse* response) override;
  grpc::Status RollbackModel(grpc::ServerContext*, const v1::RollbackModelRequest* request,
                             v1::Model* model) override;
  grpc::Status ForkModel(grpc::ServerContext*, const v1::ForkModelRequest* request,
                         v1::Model* model) override;
  grpc::Status ExportModel(grpc::ServerContext*, const v1::ExportModelRequest*,
                           grpc::ServerWriter<v1::ModelFilePiece>* writer) override;
  grpc::Status ImportModel(grpc::ServerContext*, grpc::ServerReader<v1::ImportModelRequest>* reader,
                           v1::Model* model) override;

 private:
  FakeState& state_;
};

}  // namespace prequel::client
