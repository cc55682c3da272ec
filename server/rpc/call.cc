#include "server/rpc/call.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "server/auth/model_pattern.h"
#include "server/rpc/grpc_error.h"
#include "server/rpc/request_id.h"
#include "server/sync/mutex.h"

namespace prequel {
namespace {

// A request is in memory as it came, as numbers of twice the width, and as its log record.
constexpr std::int64_t kCopiesOfRequest = 3;
// Messages smaller than this are not looked at closely: they are not refused, and no reader of one
// is slow.
constexpr std::int64_t kSmall = 16 << 10;
// Longer than any resource's name.
constexpr std::size_t kAbout = 128;

std::int64_t BytesOf(const google::protobuf::MessageLite& message) {
  return static_cast<std::int64_t>(message.ByteSizeLong());
}

// Many small strings take far more memory than they are long.
std::int64_t MemoryOf(const google::protobuf::Message& request) {
  const std::int64_t bytes = kCopiesOfRequest * BytesOf(request);
  if (bytes < kSmall) return bytes;
  return std::max(bytes, static_cast<std::int64_t>(request.SpaceUsedLong()));
}

std::string RequestIdIn(const grpc::CallbackServerContext& context) {
  const auto header = context.client_metadata().find(kRequestIdHeader);
  if (header == context.client_metadata().end()) return "";
  return std::string(RequestIdOf({header->second.data(), header->second.size()}));
}

}  // namespace

struct Call::State {
  const grpc::CallbackServerContext* const context;  // null: what origin says
  const CallOrigin origin;
  const CallParts& parts;
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const std::string peer;  // who is at the other end; empty: nobody says
  const std::string request_id;
  std::string principal{kUnknownPrincipal};  // who called, by the policy that there was then
  std::optional<Caller> caller;              // by the policy of now, the only one that is kept
  absl::Status admitted;
  MeterUse meter;                  // of the caller's: this call, and a model that it makes
  std::optional<QuotaUse> quotas;  // what it has taken of until End; none: nothing yet
  InFlight::Share memory;          // of parts.memory
  std::string resource;
  CallRecord record;

  State(const grpc::CallbackServerContext& its_context, const CallParts& its_parts)
      : context(&its_context),
        parts(its_parts),
        peer(its_context.peer()),
        request_id(RequestIdIn(its_context)) {}
  State(CallOrigin its_origin, const CallParts& its_parts)
      : context(nullptr),
        origin(std::move(its_origin)),
        parts(its_parts),
        peer(origin.peer),
        request_id(origin.request_id) {}

  Credentials credentials() const {
    if (context == nullptr) return origin.credentials;
    return parts.gate.closed() ? CredentialsOf(*context) : Credentials{};
  }

  bool Gone() const {
    return context != nullptr ? context->IsCancelled() : origin.gone && origin.gone();
  }

  void Admit(const char* method) {
    absl::StatusOr<Caller> known = parts.gate.Identify(credentials());
    admitted = known.status();
    if (!admitted.ok()) return;
    caller = *std::move(known);
    principal = caller->name();
    admitted = caller->CheckRole(RoleFor(method), method);
    if (admitted.ok()) admitted = MayBegin(method);
    if (admitted.ok() && parts.memory != nullptr) {
      memory = parts.memory->Join(caller_name(), peer);
    }
    if (!admitted.ok()) return;
    meter = MeterUse(caller->principal().meter);
    admitted = meter.Take(caller->principal().quotas, {.calls = 1});
  }

  // QuotasNow has taken nothing yet. It is of the caller as the policy has it now, and of the model
  // that the call is about now.
  QuotaUse QuotasNow() const {
    const ModelLimits* limits = caller->LimitsOf(resource);
    const bool bounded = limits != nullptr && limits->quotas.Any() && parts.models != nullptr &&
                         BoundByModel(record.method);
    return {caller->principal().meter,
            bounded ? parts.models->Of(WithoutCollection(resource)) : nullptr};
  }

  absl::Status TakeInto(QuotaUse& into, const Load& load) {
    absl::Status status = memory.Take(load.memory);
    if (!status.ok()) return status;
    const ModelLimits* limits = caller->LimitsOf(resource);
    // No request has more rows than bytes, whatever it says: others share the model's.
    status = into.Take(caller->principal().quotas, limits != nullptr ? limits->quotas : Quotas(),
                       load.bytes, std::min(load.rows, load.bytes));
    if (!status.ok()) memory.GiveBack(load.memory);
    return status;
  }

  // Without a policy all callers have one name: then they are told apart by where they call from.
  std::string caller_name() const {
    return parts.gate.closed() && caller ? std::string(caller->name()) : HostOf(peer);
  }

  absl::Status MayBegin(std::string_view method) const {
    for (const CallObserver* observer : parts.observers) {
      if (absl::Status status = observer->MayBegin(method); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void GiveBackAll() {
    memory = {};
    quotas.reset();
    meter = {};
  }
};

Call::Call(grpc::CallbackServerContext* context, const char* method, const CallParts& parts)
    : Call(std::make_shared<State>(*context, parts), method) {
  if (state_->request_id.empty()) return;
  context->AddInitialMetadata(kRequestIdHeader, state_->request_id);
}

Call::Call(CallOrigin origin, const char* method, const CallParts& parts)
    : Call(std::make_shared<State>(std::move(origin), parts), method) {}

Call::Call(std::shared_ptr<State> state, const char* method) : state_(std::move(state)) {
  state_->Admit(method);
  state_->record.method = method;
  state_->record.principal = state_->principal;
  state_->record.start = std::chrono::system_clock::now();
}

const absl::Status& Call::admitted() const { return state_->admitted; }

absl::Status Call::CheckModel(std::string_view model) const {
  return state_->caller->CheckModel(model);
}

bool Call::MayUse(std::string_view model) const {
  return state_->caller->principal().MayUse(model);
}

Call::Load Call::LoadOf(const google::protobuf::Message& request, std::int64_t rows) {
  return {BytesOf(request), MemoryOf(request), rows};
}

absl::Status Call::Take(const Load& load) const {
  if (!state_->quotas) state_->quotas = state_->QuotasNow();
  return state_->TakeInto(*state_->quotas, load);
}

absl::StatusOr<Call::Holding> Call::Hold(const Load& load) const {
  Holding holding{state_->QuotasNow(), load.memory};
  if (absl::Status status = state_->TakeInto(holding.quotas, load); !status.ok()) return status;
  return holding;
}

absl::Status Call::TakeMemory(std::int64_t bytes) const { return state_->memory.Take(bytes); }
void Call::CountMemory(std::int64_t bytes) const { state_->memory.Count(bytes); }

void Call::GiveBack(Holding holding) const { state_->memory.GiveBack(holding.memory); }

absl::Status Call::TakeModel(const absl::AnyInvocable<std::int64_t() const>& existing) const {
  const Quotas& quotas = state_->caller->principal().quotas;
  if (quotas.models == 0) return absl::OkStatus();
  return state_->meter.TakeModel(quotas, existing());
}

absl::Status Call::Renew() const {
  if (!state_->admitted.ok()) return state_->admitted;
  absl::StatusOr<Caller> renewed = state_->parts.gate.Renew(*state_->caller);
  if (!renewed.ok()) return renewed.status();
  state_->caller = *std::move(renewed);
  const std::string_view method = state_->record.method;
  absl::Status status = state_->caller->CheckRole(RoleFor(method), method);
  return status.ok() ? state_->MayBegin(method) : status;
}

void Call::SetResource(std::string_view resource) const { state_->resource = resource; }

void Call::CountRequest(const google::protobuf::MessageLite& request) const {
  CountRequest(BytesOf(request));
}

void Call::CountRequest(std::int64_t bytes) const {
  state_->record.request_bytes += bytes;
  if (state_->parts.arrivals == nullptr || state_->context == nullptr) return;
  state_->parts.arrivals->Count(state_->peer, bytes);
}

void Call::CountResponse(const google::protobuf::MessageLite& response) const {
  CountResponse(BytesOf(response));
}

void Call::CountResponse(std::int64_t bytes) const { state_->record.response_bytes += bytes; }

void Call::CountRows(std::int64_t rows) const { state_->record.rows += rows; }

Asker Call::who() const {
  return {.caller = state_->caller_name(),
          .about = state_->resource.substr(0, kAbout),
          .share = state_->caller ? state_->caller->principal().share : kEvenShare};
}

void Call::BeginWait(Patience::Wait& wait, std::int64_t bytes) const {
  if (state_->parts.patience == nullptr || state_->context == nullptr) return;
  state_->parts.patience->Begin(wait, *state_->context, bytes);
}

InFlight::Share Call::LeaveMemory() const { return std::move(state_->memory); }

bool Call::reads_only() const { return RoleFor(state_->record.method) == Role::kRead; }

void Call::LeaveMemory(CallMemory& memory, std::int64_t answer_bytes) const {
  memory.Keep(std::move(state_->memory));
  if (answer_bytes <= kSmall || state_->parts.patience == nullptr) return;
  memory.AwaitReader(*state_->parts.patience, *state_->context, answer_bytes);
}

TimePoint Call::deadline() const {
  return state_->context != nullptr ? state_->context->deadline() : state_->origin.deadline;
}

absl::Status Call::CheckWanted() const {
  if (state_->Gone()) return absl::CancelledError("the client has gone");
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
  record.request_id = state_->request_id;
  record.code = status.code();
  record.message = {status.message().data(), status.message().size()};
  record.duration = std::chrono::steady_clock::now() - state_->start;
  state_->GiveBackAll();
  for (CallObserver* observer : state_->parts.observers) observer->OnCall(record);
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

  // LetGo drops what OnceCancelled was given: nothing waits for the client to go any more.
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
                     std::string_view resource, const google::protobuf::Message* request,
                     google::protobuf::Message* response, const CallParts& parts, Watch watch)
    : Call(context, method, parts),
      watcher_(watch == Watch::kClient ? new Watcher : nullptr),
      reactor_(watcher_ != nullptr ? watcher_ : context->DefaultReactor()),
      resource_(resource),
      request_(request),
      response_(response),
      memory_(dynamic_cast<CallMemory*>(context->GetRpcAllocatorState())) {
  SetResource(resource);
  CountRequest(*request);
}

bool UnaryCall::Refused(std::int64_t rows) const {
  absl::Status status = admitted();
  if (status.ok() && !resource_.empty()) status = CheckModel(resource_);
  if (status.ok()) status = Take(LoadOf(*request_, rows));
  if (!status.ok()) Finish(status);
  return !status.ok();
}

void UnaryCall::OnceCancelled(absl::AnyInvocable<void()> then) const {
  watcher_->OnceCancelled(std::move(then));
}

void UnaryCall::Finish(const absl::Status& status) const {
  const std::int64_t bytes = status.ok() ? BytesOf(*response_) : 0;
  absl::Status final = status;
  if (status.ok() && bytes > kSmall && reads_only()) {
    final = TakeMemory(kCopiesOfAnswer * bytes);
  } else {
    CountMemory(kCopiesOfAnswer * bytes);
  }
  if (final.ok()) {
    CountResponse(*response_);
  } else {
    response_->Clear();
  }
  if (watcher_ != nullptr) watcher_->LetGo();
  if (memory_ != nullptr) LeaveMemory(*memory_, bytes);
  reactor_->Finish(End(final));
}

grpc::ServerUnaryReactor* UnaryCall::reactor() const { return reactor_; }

}  // namespace prequel
