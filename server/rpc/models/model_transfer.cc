#include "server/rpc/models/model_transfer.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/models/model_answer.h"
#include "server/rpc/resource_name.h"
#include "server/rpc/undecodable.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

// More than any model's state: 67 million parameters of a diagonal posterior take half of it.
constexpr std::uint64_t kMaxImportBytes = std::uint64_t{2} << 30;
constexpr std::int64_t kPiece = 1 << 20;

std::int64_t SizeOf(const ModelFile& file) {
  return static_cast<std::int64_t>(file.config.size() + file.body.size());
}

// The memory of a piece that is being written, beside that of the file.
std::int64_t MemoryOf(const v1::ModelFilePiece& piece) {
  return kCopiesOfAnswer * static_cast<std::int64_t>(piece.data().size());
}

// A file that is damaged, or is none, is bad input: nothing of this server is lost.
absl::Status AsInput(const absl::Status& status) {
  return absl::IsDataLoss(status) ? FieldError("data", std::string(status.message())) : status;
}

}  // namespace

ExportCall::ExportCall(grpc::CallbackServerContext* context, const v1::ExportModelRequest& request,
                       const TransferParts& parts)
    : parts_(parts), call_(context, "ExportModel", parts.calls), name_(request.name()) {
  call_.SetResource(name_);
  call_.CountRequest(request);
  absl::Status status = call_.admitted();
  if (status.ok()) status = call_.CheckModel(name_);
  if (status.ok()) status = call_.Take(Call::LoadOf(request));
  status.ok() ? Begin(request) : End(status);
}

void ExportCall::Begin(const v1::ExportModelRequest& request) {
  parts_.pool.Run(
      call_.who(), call_.wanted(),
      [this, revision = RevisionOf(request)](const StillWanted&) { return Prepare(revision); },
      [this](const absl::Status& status) { status.ok() ? WriteNext() : End(status); });
}

absl::Status ExportCall::Prepare(std::optional<std::int64_t> revision) {
  const absl::StatusOr<std::string> id = ModelIdOf(name_);
  if (!id.ok()) return id.status();
  absl::StatusOr<ModelFile> file = parts_.engine.Export(*id, revision, call_.wanted());
  if (!file.ok()) return file.status();
  if (absl::Status status = call_.TakeMemory(SizeOf(*file)); !status.ok()) return status;
  writer_ = ModelFileWriter(*std::move(file));
  return absl::OkStatus();
}

void ExportCall::WriteNext() {
  absl::Status status = call_.Renew();
  if (status.ok()) status = call_.CheckModel(name_);
  if (!status.ok()) return End(status);
  piece_.set_data(writer_.Next());
  if (piece_.data().empty()) return End(absl::OkStatus());
  call_.CountResponse(piece_);
  call_.CountMemory(MemoryOf(piece_));
  call_.BeginWait(wait_, kPiece);
  StartWrite(&piece_);
}

void ExportCall::OnWriteDone(bool ok) {
  wait_.End();
  call_.CountMemory(-MemoryOf(piece_));
  if (!ok) return End(absl::CancelledError("the client has gone"));
  WriteNext();
}

void ExportCall::End(const absl::Status& status) {
  writer_ = ModelFileWriter({});
  Finish(call_.End(status));
}

ImportCall::ImportCall(grpc::CallbackServerContext* context, grpc::ByteBuffer* response,
                       const TransferParts& parts)
    : response_(response),
      parts_(parts),
      call_(context, "ImportModel", parts.calls),
      reader_(std::in_place, kMaxImportBytes) {
  if (!call_.admitted().ok()) {
    End(call_.admitted());
  } else {
    ReadNext();
  }
}

void ImportCall::ReadNext() {
  call_.BeginWait(wait_, kPiece);
  StartRead(&received_);
}

absl::Status ImportCall::TakePiece() {
  call_.CountRequest(static_cast<std::int64_t>(received_.Length()));
  if (!Decode(received_, request_)) {
    return UndecodableError("a message", "/prequel.v1.ModelService/ImportModel");
  }
  absl::Status status = call_.Renew();
  if (status.ok() && !request_.model_id().empty()) {
    model_id_ = request_.model_id();
    call_.SetResource(model_id_);
    status = call_.CheckModel(model_id_);
  }
  // The file is in memory, once, until it is whole.
  const auto bytes = static_cast<std::int64_t>(request_.data().size());
  if (status.ok()) status = call_.Take({.bytes = bytes, .memory = bytes});
  return status.ok() ? AsInput(reader_->Add(request_.data())) : status;
}

void ImportCall::OnReadDone(bool ok) {
  wait_.End();
  if (ok) {
    const absl::Status status = TakePiece();
    if (!status.ok()) return End(status);
    return ReadNext();
  }
  parts_.pool.Run(
      call_.who(), call_.wanted(), [this](const StillWanted&) { return Import(); },
      [this](const absl::Status& status) { End(status); });
}

absl::Status ImportCall::Import() {
  absl::Status allowed = call_.CheckModel(model_id_);
  if (allowed.ok()) allowed = TakeModel(call_, parts_.engine);
  if (!allowed.ok()) return allowed;
  const absl::StatusOr<ModelFile> file = (*std::move(reader_)).Finish();
  if (!file.ok()) return AsInput(file.status());
  const absl::StatusOr<ModelInfo> info = parts_.engine.Import(model_id_, *file);
  if (!info.ok()) return AsInput(info.status());
  v1::Model response;
  InfoToProto(*info, &response);
  call_.CountResponse(response);
  *response_ = Encode(response);
  return absl::OkStatus();
}

void ImportCall::End(const absl::Status& status) {
  reader_.reset();
  Finish(call_.End(status));
}

}  // namespace prequel
