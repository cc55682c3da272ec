#include "tests/client/fake_models.h"

#include <algorithm>
#include <mutex>
#include <string>

namespace prequel::client {

grpc::Status FakeModels::CreateModel(grpc::ServerContext*, const v1::CreateModelRequest* request,
                                     v1::Model* model) {
  {
    std::lock_guard lock(state_.mu);
    state_.last_create = *request;
  }
  model->set_name("models/" + request->model_id());
  *model->mutable_config() = request->config();
  v1::Component& dynamics = *model->mutable_config()->mutable_dynamics();
  if (dynamics.name().empty()) dynamics.set_name(state_.behaviour.chosen_dynamics);
  model->set_serving(true);
  return state_.Outcome();
}

grpc::Status FakeModels::GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                                  v1::Model* model) {
  const auto& models = state_.behaviour.models;
  const auto found = std::find_if(models.begin(), models.end(), [&](const v1::Model& known) {
    return known.name() == request->name();
  });
  if (found == models.end()) return {grpc::StatusCode::NOT_FOUND, "no " + request->name()};
  *model = *found;
  return state_.Outcome();
}

// The page token is the next model's position.
grpc::Status FakeModels::ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                                    v1::ListModelsResponse* response) {
  const auto& models = state_.behaviour.models;
  const int size = request->page_size() > 0 ? request->page_size() : state_.behaviour.page_size;
  std::size_t i = request->page_token().empty() ? 0 : std::stoul(request->page_token());
  for (int n = 0; n < size && i < models.size(); ++n) *response->add_models() = models[i++];
  if (i < models.size()) response->set_next_page_token(std::to_string(i));
  return state_.Outcome();
}

grpc::Status FakeModels::DeleteModel(grpc::ServerContext*, const v1::DeleteModelRequest*,
                                     google::protobuf::Empty*) {
  return state_.Outcome();
}

grpc::Status FakeModels::CreateSnapshot(grpc::ServerContext*, const v1::CreateSnapshotRequest*,
                                        v1::Snapshot* snapshot) {
  snapshot->set_revision(7);
  snapshot->set_bytes(1234);
  return state_.Outcome();
}

grpc::Status FakeModels::ListRevisions(grpc::ServerContext*, const v1::ListRevisionsRequest*,
                                       v1::ListRevisionsResponse* response) {
  response->set_revision(9);
  response->set_oldest_revision(3);
  response->add_snapshots()->set_revision(3);
  return state_.Outcome();
}

grpc::Status FakeModels::RollbackModel(grpc::ServerContext*,
                                       const v1::RollbackModelRequest* request, v1::Model* model) {
  model->set_name(request->name());
  model->set_revision(10);
  return state_.Outcome();
}

grpc::Status FakeModels::ForkModel(grpc::ServerContext*, const v1::ForkModelRequest* request,
                                   v1::Model* model) {
  model->set_name("models/" + request->model_id());
  model->set_revision(request->has_revision() ? request->revision() : 9);
  *model->mutable_config() = request->config();
  return state_.Outcome();
}

grpc::Status FakeModels::ExportModel(grpc::ServerContext*, const v1::ExportModelRequest*,
                                     grpc::ServerWriter<v1::ModelFilePiece>* writer) {
  v1::ModelFilePiece piece;
  for (const char* data : {"a model", " in two pieces"}) {
    piece.set_data(data);
    writer->Write(piece);
  }
  return state_.Outcome();
}

grpc::Status FakeModels::ImportModel(grpc::ServerContext*,
                                     grpc::ServerReader<v1::ImportModelRequest>* reader,
                                     v1::Model* model) {
  v1::ImportModelRequest request;
  std::string file;
  while (reader->Read(&request)) {
    if (!request.model_id().empty()) model->set_name("models/" + request.model_id());
    file += request.data();
  }
  model->set_revision(static_cast<std::int64_t>(file.size()));
  return state_.Outcome();
}

}  // namespace prequel::client
