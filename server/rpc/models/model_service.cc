#include "server/rpc/models/model_service.h"

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "server/rpc/call.h"
#include "server/rpc/models/model_answer.h"
#include "server/rpc/models/page_token.h"
#include "server/rpc/resource_name.h"
#include "server/wire/config.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

constexpr int kDefaultPage = 100;
constexpr int kMaxPage = 1000;
constexpr std::size_t kMaxPageBytes = 1 << 20;  // a page ends with the model that exceeds it

// Returns its size.
std::size_t AddToList(const ModelInfo& info, v1::ListModelsResponse* response) {
  v1::Model* model = response->add_models();
  InfoToProto(info, model);
  if (model->config().prior().arrays_size() > 0) {
    model->mutable_config()->mutable_prior()->clear_arrays();
  }
  return model->ByteSizeLong();
}

}  // namespace

ModelServiceImpl::ModelServiceImpl(Engine& engine, const CallPools& pools, CallParts parts)
    : engine_(engine), pools_(pools), parts_(std::move(parts)) {
  SetMessageAllocatorFor_CreateModel(&create_model_);
  SetMessageAllocatorFor_GetModel(&get_model_);
  SetMessageAllocatorFor_ListModels(&list_models_);
  SetMessageAllocatorFor_ListRevisions(&list_revisions_);
  SetMessageAllocatorFor_RollbackModel(&rollback_model_);
  SetMessageAllocatorFor_ForkModel(&fork_model_);
}

grpc::ServerUnaryReactor* ModelServiceImpl::CreateModel(grpc::CallbackServerContext* context,
                                                        const v1::CreateModelRequest* request,
                                                        v1::Model* response) {
  const UnaryCall call(context, "CreateModel", request->model_id(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.changes.Run(call,
                     [this, call, request, response] { return Create(call, *request, response); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::GetModel(grpc::CallbackServerContext* context,
                                                     const v1::GetModelRequest* request,
                                                     v1::Model* response) {
  const UnaryCall call(context, "GetModel", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  call.Finish(Get(*request, response));
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::ListModels(grpc::CallbackServerContext* context,
                                                       const v1::ListModelsRequest* request,
                                                       v1::ListModelsResponse* response) {
  const UnaryCall call(context, "ListModels", "", request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.queries.Run(call,
                     [this, call, request, response] { return List(call, *request, response); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::DeleteModel(grpc::CallbackServerContext* context,
                                                        const v1::DeleteModelRequest* request,
                                                        google::protobuf::Empty* response) {
  const UnaryCall call(context, "DeleteModel", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.changes.Run(call, [this, request] { return Delete(*request); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::CreateSnapshot(grpc::CallbackServerContext* context,
                                                           const v1::CreateSnapshotRequest* request,
                                                           v1::Snapshot* response) {
  const UnaryCall call(context, "CreateSnapshot", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.history.Run(call, [this, request, response] { return TakeSnapshot(*request, response); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::ListRevisions(grpc::CallbackServerContext* context,
                                                          const v1::ListRevisionsRequest* request,
                                                          v1::ListRevisionsResponse* response) {
  const UnaryCall call(context, "ListRevisions", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.queries.Run(call, [this, request, response] { return Revisions(*request, response); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::RollbackModel(grpc::CallbackServerContext* context,
                                                          const v1::RollbackModelRequest* request,
                                                          v1::Model* response) {
  const UnaryCall call(context, "RollbackModel", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.history.Run(
      call, [this, call, request, response] { return Rollback(call, *request, response); });
  return call.reactor();
}

grpc::ServerUnaryReactor* ModelServiceImpl::ForkModel(grpc::CallbackServerContext* context,
                                                      const v1::ForkModelRequest* request,
                                                      v1::Model* response) {
  const UnaryCall call(context, "ForkModel", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  pools_.history.Run(call,
                     [this, call, request, response] { return Fork(call, *request, response); });
  return call.reactor();
}

grpc::ServerWriteReactor<v1::ModelFilePiece>* ModelServiceImpl::ExportModel(
    grpc::CallbackServerContext* context, const v1::ExportModelRequest* request) {
  return new ExportCall(context, *request, {engine_, pools_.history, parts_});
}

grpc::ServerReadReactor<grpc::ByteBuffer>* ModelServiceImpl::ImportModel(
    grpc::CallbackServerContext* context, grpc::ByteBuffer* response) {
  return new ImportCall(context, response, {engine_, pools_.history, parts_});
}

absl::Status ModelServiceImpl::Create(const UnaryCall& call, const v1::CreateModelRequest& request,
                                      v1::Model* response) {
  if (absl::Status status = TakeModel(call, engine_); !status.ok()) return status;
  const absl::StatusOr<LearnerConfig> config = wire::NewConfigFromProto(request.config());
  if (!config.ok()) return config.status();
  const absl::StatusOr<ModelInfo> info = engine_.CreateModel(request.model_id(), *config);
  if (!info.ok()) return info.status();
  InfoToProto(*info, response);
  return absl::OkStatus();
}

absl::Status ModelServiceImpl::Get(const v1::GetModelRequest& request, v1::Model* response) const {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(*id);
  if (!info.ok()) return info.status();
  InfoToProto(*info, response);
  return absl::OkStatus();
}

absl::Status ModelServiceImpl::List(const UnaryCall& call, const v1::ListModelsRequest& request,
                                    v1::ListModelsResponse* response) const {
  if (request.page_size() < 0) return FieldError("page_size", "must not be negative");
  const absl::StatusOr<std::string> after = NameBeforePage(request.page_token());
  if (!after.ok()) return after.status();
  const int wanted = request.page_size() == 0 ? kDefaultPage : request.page_size();
  const int size = std::min(wanted, kMaxPage);
  std::string last = *after, shown;  // shown: of those that the caller may see
  std::size_t bytes = 0;
  for (;;) {
    // One more than fits, to know whether there is a next page.
    const std::vector<ModelInfo> models = engine_.ListModels(last, size + 1);
    for (const ModelInfo& info : models) {
      last = info.name;
      if (!call.MayUse(info.name)) continue;
      if (response->models_size() == size || bytes > kMaxPageBytes) {
        response->set_next_page_token(PageTokenAfter(shown));
        return absl::OkStatus();
      }
      shown = info.name;
      bytes += AddToList(info, response);
    }
    if (models.size() <= static_cast<std::size_t>(size)) return absl::OkStatus();
  }
}

absl::Status ModelServiceImpl::Revisions(const v1::ListRevisionsRequest& request,
                                         v1::ListRevisionsResponse* response) const {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  const absl::StatusOr<prequel::Revisions> revisions = engine_.ListRevisions(*id);
  if (!revisions.ok()) return revisions.status();
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(*id);
  if (!info.ok()) return info.status();
  response->set_revision(info->published.revision);
  response->set_oldest_revision(revisions->oldest);
  for (const StoredSnapshot& stored : revisions->snapshots) {
    SnapshotToProto(stored, response->add_snapshots());
  }
  return absl::OkStatus();
}

// Waits, so that no more states are held for this than the pool has threads.
absl::Status ModelServiceImpl::TakeSnapshot(const v1::CreateSnapshotRequest& request,
                                            v1::Snapshot* response) {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  std::promise<absl::StatusOr<StoredSnapshot>> done;
  engine_.CreateSnapshot(
      *id, [&done](const absl::StatusOr<StoredSnapshot>& stored) { done.set_value(stored); });
  const absl::StatusOr<StoredSnapshot> stored = done.get_future().get();
  if (stored.ok()) SnapshotToProto(*stored, response);
  return stored.status();
}

absl::Status ModelServiceImpl::Rollback(const UnaryCall& call,
                                        const v1::RollbackModelRequest& request,
                                        v1::Model* response) {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  const absl::StatusOr<ModelInfo> info = engine_.Rollback(*id, request.revision(), call.wanted());
  if (!info.ok()) return info.status();
  InfoToProto(*info, response);
  return absl::OkStatus();
}

absl::Status ModelServiceImpl::Fork(const UnaryCall& call, const v1::ForkModelRequest& request,
                                    v1::Model* response) {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  absl::Status allowed = call.CheckModel(request.model_id());
  if (allowed.ok()) allowed = TakeModel(call, engine_);
  if (!allowed.ok()) return allowed;
  absl::StatusOr<LearnerConfig> config = LearnerConfig();
  if (request.has_config()) config = wire::NewConfigFromProto(request.config());
  if (!config.ok()) return config.status();
  const absl::StatusOr<ModelInfo> info =
      engine_.Fork(*id, RevisionOf(request), request.model_id(),
                   request.has_config() ? &*config : nullptr, call.wanted());
  if (!info.ok()) return info.status();
  InfoToProto(*info, response);
  return absl::OkStatus();
}

absl::Status ModelServiceImpl::Delete(const v1::DeleteModelRequest& request) {
  const absl::StatusOr<std::string> id = ModelIdOf(request.name());
  if (!id.ok()) return id.status();
  return engine_.DeleteModel(*id);
}

}  // namespace prequel
