#include "server/rpc/model_transfer.h"

#include <optional>
#include <utility>

#include "server/rpc/grpc_error.h"
#include "server/rpc/model_answer.h"
#include "server/rpc/resource_name.h"
#include "server/rpc/unary_call.h"

namespace prequel {
namespace {

// More than any model's state: 67 million parameters of a diagonal posterior take half of it.
constexpr std::uint64_t kMaxImportBytes = std::uint64_t{2} << 30;

}  // namespace

ExportCall::ExportCall(const grpc::CallbackServerContext& context,
                       const v1::ExportModelRequest& request, const Engine& engine,
                       CallObserver& observer)
    : observer_(observer), start_(std::chrono::steady_clock::now()), name_(request.name()) {
  Begin(request, engine, [&context] { return Wanted(context); });
}

void ExportCall::Begin(const v1::ExportModelRequest& request, const Engine& engine,
                       const StillWanted& wanted) {
  const absl::StatusOr<std::string> id = ModelIdOf(name_);
  if (!id.ok()) return End(id.status());
  absl::StatusOr<ModelFile> file = engine.Export(*id, RevisionOf(request), wanted);
  if (!file.ok()) return End(file.status());
  writer_ = ModelFileWriter(*std::move(file));
  WriteNext();
}

void ExportCall::WriteNext() {
  piece_.set_data(writer_.Next());
  if (piece_.data().empty()) return End(absl::OkStatus());
  StartWrite(&piece_);
}

void ExportCall::OnWriteDone(bool ok) {
  if (!ok) return End(absl::CancelledError("the client has gone"));
  WriteNext();
}

void ExportCall::End(const absl::Status& status) {
  const grpc::Status answer = GrpcStatus(status, name_);
  code_ = answer.error_code();
  Finish(answer);
}

void ExportCall::OnDone() {
  observer_.OnCall("ExportModel", CodeName(code_), std::chrono::steady_clock::now() - start_);
  delete this;
}

ImportCall::ImportCall(v1::Model* response, Engine& engine, CallObserver& observer)
    : response_(response),
      engine_(engine),
      observer_(observer),
      start_(std::chrono::steady_clock::now()),
      reader_(kMaxImportBytes) {
  StartRead(&request_);
}

void ImportCall::OnReadDone(bool ok) {
  if (ok) {
    if (!request_.model_id().empty()) model_id_ = request_.model_id();
    const absl::Status status = reader_.Add(request_.data());
    if (!status.ok()) return End(status);
    return StartRead(&request_);
  }
  absl::StatusOr<ModelFile> file = std::move(reader_).Finish();
  if (!file.ok()) return End(file.status());
  const absl::StatusOr<ModelInfo> info = engine_.Import(model_id_, *std::move(file));
  if (info.ok()) InfoToProto(*info, response_);
  End(info.status());
}

void ImportCall::End(const absl::Status& status) {
  const grpc::Status answer = GrpcStatus(status, model_id_);
  code_ = answer.error_code();
  Finish(answer);
}

void ImportCall::OnDone() {
  observer_.OnCall("ImportModel", CodeName(code_), std::chrono::steady_clock::now() - start_);
  delete this;
}

}  // namespace prequel
