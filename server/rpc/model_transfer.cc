#include "server/rpc/model_transfer.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/grpc_error.h"
#include "server/rpc/model_answer.h"
#include "server/rpc/resource_name.h"
#include "server/rpc/unary_call.h"

namespace prequel {
namespace {

// More than any model's state: 67 million parameters of a diagonal posterior take half of it.
constexpr std::uint64_t kMaxImportBytes = std::uint64_t{2} << 30;
constexpr int kMaxOpenTransfers = 4;

absl::Status TooManyTransfers() {
  return absl::ResourceExhaustedError(absl::StrCat(
      kMaxOpenTransfers, " models are being exported or imported; try again when one is done"));
}

StillWanted WantedOf(const grpc::CallbackServerContext& context) {
  return [&context] { return Wanted(context); };
}

}  // namespace

bool OpenTransfers::Add() {
  if (++open_ <= kMaxOpenTransfers) return true;
  --open_;
  return false;
}

ExportCall::ExportCall(const grpc::CallbackServerContext& context,
                       const v1::ExportModelRequest& request, const TransferParts& parts)
    : parts_(parts),
      admitted_(parts.open.Add()),
      start_(std::chrono::steady_clock::now()),
      name_(request.name()) {
  admitted_ ? Begin(context, request) : End(TooManyTransfers());
}

void ExportCall::Begin(const grpc::CallbackServerContext& context,
                       const v1::ExportModelRequest& request) {
  const StillWanted wanted = WantedOf(context);
  parts_.pool.Run(
      wanted, [this, wanted, revision = RevisionOf(request)] { return Prepare(revision, wanted); },
      [this](const absl::Status& status) { status.ok() ? WriteNext() : End(status); });
}

absl::Status ExportCall::Prepare(std::optional<std::int64_t> revision, const StillWanted& wanted) {
  const absl::StatusOr<std::string> id = ModelIdOf(name_);
  if (!id.ok()) return id.status();
  absl::StatusOr<ModelFile> file = parts_.engine.Export(*id, revision, wanted);
  if (file.ok()) writer_ = ModelFileWriter(*std::move(file));
  return file.status();
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
  writer_ = ModelFileWriter({});
  // Before the answer: who waited for it may begin the next.
  if (admitted_) parts_.open.Remove();
  Finish(answer);
}

void ExportCall::OnDone() {
  parts_.observer.OnCall("ExportModel", CodeName(code_), std::chrono::steady_clock::now() - start_);
  delete this;
}

ImportCall::ImportCall(const grpc::CallbackServerContext& context, v1::Model* response,
                       const TransferParts& parts)
    : context_(context),
      response_(response),
      parts_(parts),
      admitted_(parts.open.Add()),
      start_(std::chrono::steady_clock::now()),
      reader_(std::in_place, kMaxImportBytes) {
  admitted_ ? StartRead(&request_) : End(TooManyTransfers());
}

void ImportCall::OnReadDone(bool ok) {
  if (ok) {
    if (!request_.model_id().empty()) model_id_ = request_.model_id();
    const absl::Status status = reader_->Add(request_.data());
    if (!status.ok()) return End(status);
    return StartRead(&request_);
  }
  parts_.pool.Run(
      WantedOf(context_), [this] { return Import(); },
      [this](const absl::Status& status) { End(status); });
}

absl::Status ImportCall::Import() {
  const absl::StatusOr<ModelFile> file = (*std::move(reader_)).Finish();
  if (!file.ok()) return file.status();
  const absl::StatusOr<ModelInfo> info = parts_.engine.Import(model_id_, *file);
  if (info.ok()) InfoToProto(*info, response_);
  return info.status();
}

void ImportCall::End(const absl::Status& status) {
  const grpc::Status answer = GrpcStatus(status, model_id_);
  code_ = answer.error_code();
  reader_.reset();
  // Before the answer: who waited for it may begin the next.
  if (admitted_) parts_.open.Remove();
  Finish(answer);
}

void ImportCall::OnDone() {
  parts_.observer.OnCall("ImportModel", CodeName(code_), std::chrono::steady_clock::now() - start_);
  delete this;
}

}  // namespace prequel
