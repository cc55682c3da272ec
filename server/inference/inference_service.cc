#include "server/inference/inference_service.h"

#include "server/inference/infer_batch.h"

namespace prequel {
namespace {

grpc::ServerUnaryReactor* Answered(grpc::CallbackServerContext* context) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* InferenceServiceImpl::ServerLive(
    grpc::CallbackServerContext* context, const inference::ServerLiveRequest* /*request*/,
    inference::ServerLiveResponse* response) {
  response->set_live(true);
  return Answered(context);
}

grpc::ServerUnaryReactor* InferenceServiceImpl::ServerReady(
    grpc::CallbackServerContext* context, const inference::ServerReadyRequest* /*request*/,
    inference::ServerReadyResponse* response) {
  response->set_ready(face_.ready());
  return Answered(context);
}

grpc::ServerUnaryReactor* InferenceServiceImpl::ServerMetadata(
    grpc::CallbackServerContext* context, const inference::ServerMetadataRequest* request,
    inference::ServerMetadataResponse* response) {
  const UnaryCall call(context, "ServerMetadata", "", request, response, parts_);
  if (call.Refused()) return call.reactor();
  face_.ServerMetadata(response);
  call.Finish(absl::OkStatus());
  return call.reactor();
}

grpc::ServerUnaryReactor* InferenceServiceImpl::ModelReady(
    grpc::CallbackServerContext* context, const inference::ModelReadyRequest* request,
    inference::ModelReadyResponse* response) {
  const UnaryCall call(context, "ModelReady", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  call.Finish(face_.ModelReady(*request, response));
  return call.reactor();
}

grpc::ServerUnaryReactor* InferenceServiceImpl::ModelMetadata(
    grpc::CallbackServerContext* context, const inference::ModelMetadataRequest* request,
    inference::ModelMetadataResponse* response) {
  const UnaryCall call(context, "ModelMetadata", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  call.Finish(face_.ModelMetadata(*request, response));
  return call.reactor();
}

grpc::ServerUnaryReactor* InferenceServiceImpl::ModelInfer(
    grpc::CallbackServerContext* context, const inference::ModelInferRequest* request,
    inference::ModelInferResponse* response) {
  // Only who waits for a revision is told when the client goes.
  const bool waits = request->parameters().contains("min_revision");
  const UnaryCall call(context, "ModelInfer", request->model_name(), request, response, parts_,
                       waits ? UnaryCall::Watch::kClient : UnaryCall::Watch::kNo);
  if (call.Refused(RowsIn(*request, face_.max_batch_rows()).count)) return call.reactor();
  const Contents contents =
      request->raw_input_contents().empty() ? Contents::kTyped : Contents::kRaw;
  face_.Infer(
      call, request, contents, response,
      [call](const absl::Status& status) { call.Finish(status); }, waits ? &call : nullptr);
  return call.reactor();
}

}  // namespace prequel
