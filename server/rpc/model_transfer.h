// ExportModel and ImportModel: a model's file, piece by piece.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <string>

#include "prequel/v1/model_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call_observer.h"

namespace prequel {

// Both own themselves: gRPC calls OnDone last. The engine is asked on gRPC's thread: at most one
// snapshot is read and what follows it folded.

class ExportCall final : public grpc::ServerWriteReactor<v1::ModelFilePiece> {
 public:
  ExportCall(const grpc::CallbackServerContext& context, const v1::ExportModelRequest& request,
             const Engine& engine, CallObserver& observer);

  void OnWriteDone(bool ok) override;
  void OnDone() override;

 private:
  ~ExportCall() override = default;
  void Begin(const v1::ExportModelRequest& request, const Engine& engine,
             const StillWanted& wanted);
  void WriteNext();
  void End(const absl::Status& status);

  CallObserver& observer_;
  const std::chrono::steady_clock::time_point start_;
  const std::string name_;
  ModelFileWriter writer_{{}};
  v1::ModelFilePiece piece_;  // being written
  grpc::StatusCode code_ = grpc::StatusCode::OK;
};

class ImportCall final : public grpc::ServerReadReactor<v1::ImportModelRequest> {
 public:
  ImportCall(v1::Model* response, Engine& engine, CallObserver& observer);

  void OnReadDone(bool ok) override;
  void OnDone() override;

 private:
  ~ImportCall() override = default;
  void End(const absl::Status& status);

  v1::Model* const response_;
  Engine& engine_;
  CallObserver& observer_;
  const std::chrono::steady_clock::time_point start_;
  std::string model_id_;
  ModelFileReader reader_;
  v1::ImportModelRequest request_;  // being read
  grpc::StatusCode code_ = grpc::StatusCode::OK;
};

}  // namespace prequel
