#include "tests/server/server/every_method.h"

#include "inference/grpc_predict_v2.grpc.pb.h"
#include "prequel/v1/part_service.grpc.pb.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

using grpc::StatusCode;

template <class Service, class Request, class Response>
Try Named(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
          const std::function<void(const std::string&, Request&)>& fill) {
  return [method, fill](const Door& door, const std::string& model) {
    typename Service::Stub stub(door.channel);
    Request request;
    fill(model, request);
    Response response;
    return Unary(door, stub, method, request, &response);
  };
}

StatusCode TryExport(const Door& door, const std::string& model) {
  v1::ModelService::Stub stub(door.channel);
  grpc::ClientContext context;
  if (!door.authorization.empty()) context.AddMetadata("authorization", door.authorization);
  v1::ExportModelRequest request;
  request.set_name("models/" + model);
  const auto reader = stub.ExportModel(&context, request);
  v1::ModelFilePiece piece;
  while (reader->Read(&piece)) {
  }
  return reader->Finish().error_code();
}

StatusCode TryImport(const Door& door, const std::string& model) {
  v1::ModelService::Stub stub(door.channel);
  grpc::ClientContext context;
  if (!door.authorization.empty()) context.AddMetadata("authorization", door.authorization);
  v1::Model response;
  const auto writer = stub.ImportModel(&context, &response);
  v1::ImportModelRequest request;
  request.set_model_id(model);
  request.set_data("no model");
  writer->Write(request);
  writer->WritesDone();
  return writer->Finish().error_code();
}

StatusCode TryWatch(const Door& door, const std::string& model) {
  v1::LearningService::Stub stub(door.channel);
  grpc::ClientContext context;
  if (!door.authorization.empty()) context.AddMetadata("authorization", door.authorization);
  v1::WatchEvaluationRequest request;
  request.set_name("models/" + model);
  const auto reader = stub.WatchEvaluation(&context, request);
  v1::GetEvaluationResponse evaluation;
  if (!reader->Read(&evaluation)) return reader->Finish().error_code();
  context.TryCancel();
  (void)reader->Finish();
  return StatusCode::OK;
}

// A stream says of each minibatch what became of it, and of itself at its end.
StatusCode TryStream(const Door& door, const std::string& model) {
  v1::LearningService::Stub stub(door.channel);
  grpc::ClientContext context;
  if (!door.authorization.empty()) context.AddMetadata("authorization", door.authorization);
  const auto stream = stub.LearnStream(&context);
  v1::LearnStreamRequest request;
  request.set_name("models/" + model);
  *request.mutable_batch() = LinearBatch(1);
  stream->Write(request);
  stream->WritesDone();
  v1::LearnStreamResponse response;
  const bool answered = stream->Read(&response);
  const grpc::Status status = stream->Finish();
  if (!answered || !response.has_error()) return status.error_code();
  return static_cast<StatusCode>(response.error().code());
}

void AddInference(std::map<std::string, Try>& all) {
  using Service = inference::GRPCInferenceService;
  const auto name = [](const std::string& model, auto& request) { request.set_name(model); };
  all["ModelReady"] = Named<Service, inference::ModelReadyRequest, inference::ModelReadyResponse>(
      &Service::Stub::ModelReady, name);
  all["ModelMetadata"] =
      Named<Service, inference::ModelMetadataRequest, inference::ModelMetadataResponse>(
          &Service::Stub::ModelMetadata, name);
  all["ServerMetadata"] =
      Named<Service, inference::ServerMetadataRequest, inference::ServerMetadataResponse>(
          &Service::Stub::ServerMetadata,
          [](const std::string&, inference::ServerMetadataRequest&) {});
  all["ModelInfer"] = Named<Service, inference::ModelInferRequest, inference::ModelInferResponse>(
      &Service::Stub::ModelInfer,
      [](const std::string& model, inference::ModelInferRequest& request) {
        request.set_model_name(model);
        auto* tensor = request.add_inputs();
        tensor->set_name("x");
        tensor->set_datatype("FP64");
        tensor->mutable_shape()->CopyFrom(LinearQuery().inputs().shape());
        request.add_raw_input_contents(LinearQuery().inputs().data());
      });
}

}  // namespace

std::map<std::string, Try> EveryMethod() {
  using Models = v1::ModelService;
  using Learning = v1::LearningService;
  std::map<std::string, Try> all;
  const auto name = [](const std::string& model, auto& request) {
    request.set_name("models/" + model);
  };
  const auto batch = [](const std::string& model, auto& request) {
    request.set_name("models/" + model);
    *request.mutable_batch() = LinearBatch(1);
  };
  all["CreateModel"] = Named<Models, v1::CreateModelRequest, v1::Model>(
      &Models::Stub::CreateModel, [](const std::string& model, v1::CreateModelRequest& request) {
        request.set_model_id(model);
        *request.mutable_config() = LinearConfig();
      });
  all["GetModel"] = Named<Models, v1::GetModelRequest, v1::Model>(&Models::Stub::GetModel, name);
  all["ListModels"] = Named<Models, v1::ListModelsRequest, v1::ListModelsResponse>(
      &Models::Stub::ListModels, [](const std::string&, v1::ListModelsRequest&) {});
  // Of a model that is not there: it is still to be of use to the others.
  all["DeleteModel"] = Named<Models, v1::DeleteModelRequest, google::protobuf::Empty>(
      &Models::Stub::DeleteModel, [](const std::string& model, v1::DeleteModelRequest& request) {
        request.set_name("models/" + model + (model == "own-m" ? "-gone" : ""));
      });
  all["CreateSnapshot"] =
      Named<Models, v1::CreateSnapshotRequest, v1::Snapshot>(&Models::Stub::CreateSnapshot, name);
  all["ListRevisions"] = Named<Models, v1::ListRevisionsRequest, v1::ListRevisionsResponse>(
      &Models::Stub::ListRevisions, name);
  all["RollbackModel"] =
      Named<Models, v1::RollbackModelRequest, v1::Model>(&Models::Stub::RollbackModel, name);
  all["ForkModel"] = Named<Models, v1::ForkModelRequest, v1::Model>(
      &Models::Stub::ForkModel, [](const std::string& model, v1::ForkModelRequest& request) {
        request.set_name("models/" + model);
        request.set_model_id("own-fork");
      });
  all["ExportModel"] = TryExport;
  all["ImportModel"] = TryImport;
  all["Learn"] =
      Named<Learning, v1::LearnRequest, v1::LearnResponse>(&Learning::Stub::Learn, batch);
  all["LearnStream"] = TryStream;
  all["Predict"] = Named<Learning, v1::PredictRequest, v1::PredictResponse>(
      &Learning::Stub::Predict, [](const std::string& model, v1::PredictRequest& request) {
        request.set_name("models/" + model);
        *request.mutable_batch() = LinearQuery();
      });
  all["PredictThenLearn"] =
      Named<Learning, v1::PredictThenLearnRequest, v1::PredictThenLearnResponse>(
          &Learning::Stub::PredictThenLearn, batch);
  all["GetEvaluation"] = Named<Learning, v1::GetEvaluationRequest, v1::GetEvaluationResponse>(
      &Learning::Stub::GetEvaluation, name);
  all["WatchEvaluation"] = TryWatch;
  all["ListParts"] = Named<v1::PartService, v1::ListPartsRequest, v1::ListPartsResponse>(
      &v1::PartService::Stub::ListParts, [](const std::string&, v1::ListPartsRequest&) {});
  AddInference(all);
  return all;
}

}  // namespace prequel
