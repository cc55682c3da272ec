// ExportModel and ImportModel: a model's file, piece by piece.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <optional>
#include <string>

#include "prequel/v1/model_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/call_pool.h"

namespace prequel {

// What the transfers use; all of it outlives them.
struct TransferParts {
  Engine& engine;
  CallPool& pool;  // where the engine is asked: it reads a snapshot and folds what follows it
  const CallParts& calls;
};

// A file is in memory until its client has read or written it all: as much of it as is there is in
// the memory for what is in flight, and a client that does not go on is not waited for. Both own
// themselves: gRPC calls OnDone last.

class ExportCall final : public grpc::ServerWriteReactor<v1::ModelFilePiece> {
 public:
  ExportCall(grpc::CallbackServerContext* context, const v1::ExportModelRequest& request,
             const TransferParts& parts);

  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  ~ExportCall() override = default;
  void Begin(const v1::ExportModelRequest& request);
  absl::Status Prepare(std::optional<std::int64_t> revision);
  void WriteNext();
  void End(const absl::Status& status);

  const TransferParts parts_;
  const Call call_;
  const std::string name_;
  ModelFileWriter writer_{{}};
  v1::ModelFilePiece piece_;  // being written
  Patience::Wait wait_;       // for it to be read
};

class ImportCall final : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  ImportCall(grpc::CallbackServerContext* context, grpc::ByteBuffer* response,
             const TransferParts& parts);

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  ~ImportCall() override = default;
  void ReadNext();
  absl::Status TakePiece();
  absl::Status Import();
  void End(const absl::Status& status);

  grpc::ByteBuffer* const response_;
  const TransferParts parts_;
  const Call call_;
  std::string model_id_;
  std::optional<ModelFileReader> reader_;
  grpc::ByteBuffer received_;  // being read
  v1::ImportModelRequest request_;
  Patience::Wait wait_;  // for the next
};

}  // namespace prequel
