// ExportModel and ImportModel: a model's file, piece by piece.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "prequel/v1/model_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/call_pool.h"

namespace prequel {

// Bounds the files in memory, each of which is there until its client has read or written it all.
// Thread-safe.
class OpenTransfers {
 public:
  // False when there are as many as there may be.
  bool Add();
  void Remove() { --open_; }

 private:
  std::atomic<int> open_ = 0;
};

// What the transfers use; all of it outlives them.
struct TransferParts {
  Engine& engine;
  CallPool& pool;  // where the engine is asked: it reads a snapshot and folds what follows it
  OpenTransfers& open;
  const CallParts& calls;
};

// Both own themselves: gRPC calls OnDone last.

class ExportCall final : public grpc::ServerWriteReactor<v1::ModelFilePiece> {
 public:
  ExportCall(const grpc::CallbackServerContext& context, const v1::ExportModelRequest& request,
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
  const bool counted_;  // among parts_.open
  const std::string name_;
  ModelFileWriter writer_{{}};
  v1::ModelFilePiece piece_;  // being written
};

class ImportCall final : public grpc::ServerReadReactor<v1::ImportModelRequest> {
 public:
  ImportCall(const grpc::CallbackServerContext& context, v1::Model* response,
             const TransferParts& parts);

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  ~ImportCall() override = default;
  absl::Status TakePiece();
  absl::Status Import();
  void End(const absl::Status& status);

  v1::Model* const response_;
  const TransferParts parts_;
  const Call call_;
  const bool counted_;  // among parts_.open
  std::string model_id_;
  std::optional<ModelFileReader> reader_;
  v1::ImportModelRequest request_;  // being read
};

}  // namespace prequel
