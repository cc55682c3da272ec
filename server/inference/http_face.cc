#include "server/inference/http_face.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/config/field_error.h"
#include "server/inference/infer_batch.h"
#include "server/inference/json_answer.h"
#include "server/inference/json_request.h"
#include "server/web/error_answer.h"

namespace prequel {
namespace {

// A call by HTTP names no deadline.
constexpr std::chrono::seconds kDeadline{60};

// What a path is about.
struct Target {
  bool found = false;
  std::string model, version, verb;  // verb: "", "ready" or "infer"
};

Target TargetOf(const std::string& path) {
  std::vector<std::string> parts = absl::StrSplit(path, '/');  // "", "v2", "models", …
  Target target;
  if (parts.size() < 2 || !parts[0].empty() || parts[1] != "v2") return target;
  if (parts.size() == 2) return {.found = true};
  if (parts.size() < 4 || parts[2] != "models" || parts[3].empty()) return target;
  target.model = parts[3];
  std::size_t next = 4;
  if (parts.size() >= 6 && parts[4] == "versions" && !parts[5].empty()) {
    target.version = parts[5];
    next = 6;
  }
  if (parts.size() > next) target.verb = parts[next];
  target.found = parts.size() == next ||
                 (parts.size() == next + 1 && (target.verb == "ready" || target.verb == "infer"));
  return target;
}

unsigned StatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

HttpAnswer AnswerInJson(unsigned status, std::string body) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  answer.type = "application/json";
  return answer;
}

HttpAnswer AnswerOf(const absl::Status& status) {
  HttpAnswer answer = ErrorAnswer(StatusOf(status.code()), std::string(status.message()));
  if (answer.status == 401) answer.authenticate = "Bearer";
  return answer;
}

// Ends the call with what is answered, whose share of the memory is held until it is written. A
// large body is taken of it first.
void Finish(const Call& call, absl::Status status, HttpAnswer answer, const HttpRespond& respond) {
  const auto bytes = static_cast<std::int64_t>(answer.body.size());
  if (status.ok() && bytes > kSmallBody) status = call.TakeMemory(bytes);
  if (status.ok()) {
    call.CountResponse(bytes);
  } else {
    answer = AnswerOf(status);
  }
  answer.held = std::make_shared<InFlight::Share>(call.LeaveMemory());
  call.End(status);
  respond(std::move(answer));
}

absl::Status Admit(const Call& call, const std::string& model) {
  const absl::Status& status = call.admitted();
  return status.ok() && !model.empty() ? call.CheckModel(model) : status;
}

// A request that is being answered.
struct Inference {
  std::string body;
  std::optional<std::size_t> json_length;
  Target target;
  inference::ModelInferRequest request;
  inference::ModelInferResponse response;

  // Parse makes the request of the body, and takes it of the call's quotas.
  absl::Status Parse(const Call& call, Index max_rows) {
    absl::StatusOr<inference::ModelInferRequest> parsed =
        InferRequestFromJson(body, json_length, max_rows);
    if (!parsed.ok()) return parsed.status();
    const auto bytes = static_cast<std::int64_t>(body.size());
    body = std::string();
    request = *std::move(parsed);
    request.set_model_name(target.model);
    request.set_model_version(target.version);
    return call.Take({.bytes = bytes,
                      .memory = Call::LoadOf(request).memory,
                      .rows = RowsIn(request, max_rows).count});
  }
};

}  // namespace

BodyLimit HttpFace::LimitOf(const HttpRequest& head) const {
  if (head.method != "POST" || TargetOf(head.path).verb != "infer") return {.bytes = kSmallBody};
  const absl::Status known = parts_.gate.Identify(head.credentials).status();
  if (known.ok()) return {.bytes = max_body_bytes_};
  return {.bytes = kSmallBody, .beyond = AnswerOf(known)};
}

void HttpFace::Answer(HttpRequest request, const HttpRespond& respond) const {
  const Target target = TargetOf(request.path);
  if (!target.found) return respond(ErrorAnswer(404, "not found"));
  if (target.verb == "infer") {
    if (request.method != "POST") return respond(MethodNotAllowed("POST"));
    return Infer(std::move(request), respond);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return respond(MethodNotAllowed("GET, HEAD"));
  }
  if (target.model.empty()) return Get(request, "ServerMetadata", respond);
  Get(request, target.verb == "ready" ? "ModelReady" : "ModelMetadata", respond);
}

Call HttpFace::CallOf(const HttpRequest& request, const char* method) const {
  Call call({.credentials = request.credentials,
             .peer = request.peer,
             .deadline = std::chrono::system_clock::now() + kDeadline,
             .gone = request.gone,
             .request_id = request.request_id},
            method, parts_);
  call.CountRequest(static_cast<std::int64_t>(request.body.size()));
  return call;
}

void HttpFace::Get(const HttpRequest& request, const char* method,
                   const HttpRespond& respond) const {
  const Target target = TargetOf(request.path);
  const Call call = CallOf(request, method);
  call.SetResource(target.model);
  absl::Status status = Admit(call, target.model);
  if (status.ok()) status = call.Take({});
  HttpAnswer answer;
  if (!status.ok()) return Finish(call, status, answer, respond);
  if (target.model.empty()) {
    inference::ServerMetadataResponse response;
    face_.ServerMetadata(&response);
    answer = AnswerInJson(200, JsonOf(response));
  } else if (target.verb == "ready") {
    inference::ModelReadyRequest asked;
    asked.set_name(target.model);
    asked.set_version(target.version);
    inference::ModelReadyResponse response;
    status = face_.ModelReady(asked, &response);
    answer = AnswerInJson(response.ready() ? 200 : 503, JsonOf(target.model, response));
  } else {
    inference::ModelMetadataRequest asked;
    asked.set_name(target.model);
    asked.set_version(target.version);
    inference::ModelMetadataResponse response;
    status = face_.ModelMetadata(asked, &response);
    answer = AnswerInJson(200, JsonOf(response));
  }
  Finish(call, status, std::move(answer), respond);
}

void HttpFace::Infer(HttpRequest request, const HttpRespond& respond) const {
  auto inference = std::make_shared<Inference>();
  inference->target = TargetOf(request.path);
  const Call call = CallOf(request, "ModelInfer");
  call.SetResource(inference->target.model);
  absl::Status status = Admit(call, inference->target.model);
  if (status.ok() && !request.content_encoding.empty()) {
    status = FieldError("Content-Encoding", "must be left out: bodies are not compressed");
  }
  if (!status.ok()) return Finish(call, status, {}, respond);
  inference->body = std::move(request.body);
  inference->json_length = request.json_length;
  const auto finish = [call, respond, inference](const absl::Status& inferred) {
    HttpAnswer answer;
    if (inferred.ok()) {
      JsonAnswer json = JsonOf(inference->request, inference->response);
      inference->response.Clear();
      answer = AnswerInJson(200, std::move(json.body));
      answer.json_length = json.json_length;
      if (json.json_length > 0) answer.type = "application/octet-stream";
    }
    Finish(call, inferred, std::move(answer), respond);
  };
  face_.Run(
      call,
      [inference, call, rows = face_.max_batch_rows()] { return inference->Parse(call, rows); },
      [this, call, inference, finish](const absl::Status& parsed) {
        if (!parsed.ok()) return finish(parsed);
        face_.Infer(call, &inference->request, Contents::kRaw, &inference->response, finish);
      });
}

}  // namespace prequel
