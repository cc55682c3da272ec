#include "server/rpc/call.h"

#include <chrono>
#include <string>
#include <utility>

#include "server/rpc/grpc_error.h"
#include "server/sync/mutex.h"

namespace prequel {
namespace {

// Who calls: the server does not ask yet.
constexpr std::string_view kAnonymous = "anonymous";

std::int64_t BytesOf(const google::protobuf::MessageLite& message) {
  return static_cast<std::int64_t>(message.ByteSizeLong());
}

}  // namespace

struct Call::State {
  const grpc::CallbackServerContext& context;
  const CallObservers& observers;
  const std::chrono::steady_clock::time_point start;
  std::string resource;
  CallRecord record;
};

Call::Call(const grpc::CallbackServerContext& context, const char* method,
           const CallObservers& observers)
    : state_(new State{context, observers, std::chrono::steady_clock::now(), {}, {}}) {
  state_->record.method = method;
  state_->record.principal = kAnonymous;
  state_->record.start = std::chrono::system_clock::now();
}

void Call::SetResource(std::string_view resource) const { state_->resource = resource; }

void Call::CountRequest(const google::protobuf::MessageLite& request) const {
  state_->record.request_bytes += BytesOf(request);
}

void Call::CountResponse(const google::protobuf::MessageLite& response) const {
  state_->record.response_bytes += BytesOf(response);
}

void Call::CountRows(std::int64_t rows) const { state_->record.rows += rows; }

TimePoint Call::deadline() const { return state_->context.deadline(); }

absl::Status Call::CheckWanted() const {
  if (state_->context.IsCancelled()) return absl::CancelledError("the client has gone");
  if (std::chrono::system_clock::now() < deadline()) return absl::OkStatus();
  return absl::DeadlineExceededError("the deadline passed before the call was answered");
}

StillWanted Call::wanted() const {
  return [call = *this] { return call.CheckWanted(); };
}

grpc::Status Call::End(const absl::Status& status) const {
  grpc::Status answer = GrpcStatus(status, state_->resource);
  CallRecord& record = state_->record;
  record.resource = state_->resource;
  record.code = status.code();
  record.duration = std::chrono::steady_clock::now() - state_->start;
  for (CallObserver* observer : state_->observers) observer->OnCall(record);
  return answer;
}

// Owns itself: gRPC calls OnDone last.
class UnaryCall::Watcher final : public grpc::ServerUnaryReactor {
 public:
  void OnceCancelled(absl::AnyInvocable<void()> then) {
    {
      MutexLock lock(mu_);
      if (!cancelled_) {
        then_ = std::move(then);
        return;
      }
    }
    then();
  }

  // Of what waited for the client to go.
  void LetGo() { TakeThen(); }

  void OnCancel() override {
    {
      MutexLock lock(mu_);
      cancelled_ = true;
    }
    if (absl::AnyInvocable<void()> then = TakeThen()) then();
  }
  void OnDone() override { delete this; }

 private:
  ~Watcher() override = default;

  absl::AnyInvocable<void()> TakeThen() {
    MutexLock lock(mu_);
    return std::exchange(then_, nullptr);
  }

  Mutex mu_;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  absl::AnyInvocable<void()> then_ ABSL_GUARDED_BY(mu_);
};

UnaryCall::UnaryCall(grpc::CallbackServerContext* context, const char* method,
                     std::string_view resource, const google::protobuf::MessageLite* request,
                     const google::protobuf::MessageLite* response, const CallObservers& observers,
                     Watch watch)
    : Call(*context, method, observers),
      watcher_(watch == Watch::kClient ? new Watcher : nullptr),
      reactor_(watcher_ != nullptr ? watcher_ : context->DefaultReactor()),
      response_(response) {
  SetResource(resource);
  CountRequest(*request);
}

void UnaryCall::OnceCancelled(absl::AnyInvocable<void()> then) const {
  watcher_->OnceCancelled(std::move(then));
}

void UnaryCall::Finish(const absl::Status& status) const {
  if (status.ok()) CountResponse(*response_);
  if (watcher_ != nullptr) watcher_->LetGo();
  reactor_->Finish(End(status));
}

grpc::ServerUnaryReactor* UnaryCall::reactor() const { return reactor_; }

}  // namespace prequel
