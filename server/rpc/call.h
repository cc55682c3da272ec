// One call of any method from its start to its end: who asks, whether it may, about what and until
// when.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "server/auth/gate.h"
#include "server/auth/quotas/model_meters.h"
#include "server/auth/quotas/quota_use.h"
#include "server/engine/clock.h"
#include "server/engine/still_wanted.h"
#include "server/memory/in_flight.h"
#include "server/rpc/arrivals.h"
#include "server/rpc/asker.h"
#include "server/rpc/call_memory.h"
#include "server/rpc/call_observer.h"
#include "server/rpc/patience.h"

namespace prequel {

// An answer is in memory twice: as numbers and as the message that they become, then as that
// message and as its bytes, which are sent.
inline constexpr std::int64_t kCopiesOfAnswer = 2;

// What all calls have in common; outlives them.
struct CallParts {
  CallObservers observers;
  Gate gate;
  InFlight* memory = nullptr;     // null: what is in flight has no bound
  Patience* patience = nullptr;   // null: clients may take as long as they like
  Arrivals* arrivals = nullptr;   // told of every request by gRPC; null: nobody is
  ModelMeters* models = nullptr;  // null: models have no quotas
};

// What a call that does not come by gRPC says of itself.
struct CallOrigin {
  Credentials credentials;
  std::string peer;  // as gRPC would name it; empty: nobody says
  TimePoint deadline = TimePoint::max();
  std::function<bool()> gone;  // whether the client is; on any thread
  std::string request_id;      // as request_id.h has it
};

// Copies of a Call are of the same call. One thread at a time uses it, except for deadline,
// CheckWanted and wanted, which any thread may call until End.
class Call {
 public:
  // The constructor of a gRPC call gives the client back its request id, so it comes before
  // anything else is sent. `method` is a literal. `context` lives until End, `parts` longer.
  Call(grpc::CallbackServerContext* context, const char* method, const CallParts& parts);
  Call(CallOrigin origin, const char* method, const CallParts& parts);

  // OK when the caller is known, its role includes the method, and it may begin another call. A
  // call that is not admitted is ended with this status; nothing else is asked of it.
  const absl::Status& admitted() const;
  // Whether the caller may use `model`: "moons" or "models/moons".
  absl::Status CheckModel(std::string_view model) const;
  bool MayUse(std::string_view model_id) const;
  // What a request takes until it is answered.
  struct Load {
    std::int64_t bytes = 0;   // of quotas: as it was sent
    std::int64_t memory = 0;  // of the memory for what is in flight
    std::int64_t rows = 0;    // of quotas, which get none back
  };
  static Load LoadOf(const google::protobuf::Message& request, std::int64_t rows = 0);
  // Take takes `load` of the caller's quotas, of those of the model that is the resource, and of
  // the memory for what is in flight: all or nothing. RESOURCE_EXHAUSTED says of which there is too
  // little. End gives back.
  absl::Status Take(const Load& load) const;
  // A Holding is what Hold has taken, as Take does, for one request of a stream. GiveBack gives it
  // back once the request is answered; End gives back the memory at the latest.
  struct Holding {
    QuotaUse quotas;
    std::int64_t memory = 0;
  };
  absl::StatusOr<Holding> Hold(const Load& load) const;
  void GiveBack(Holding holding) const;
  // TakeMemory takes `bytes` of an answer of the memory for what is in flight, or is
  // RESOURCE_EXHAUSTED. CountMemory counts them however little is left; below 0 gives back. Both
  // until End.
  absl::Status TakeMemory(std::int64_t bytes) const;
  void CountMemory(std::int64_t bytes) const;
  // TakeModel takes one more model of the caller's quota until End. `existing` says how many models
  // the caller can use now.
  absl::Status TakeModel(const absl::AnyInvocable<std::int64_t() const>& existing) const;
  // Renew says whether the policy still has the caller, for calls that last. From then on the
  // caller is what the policy says of it now.
  absl::Status Renew() const;

  // SetResource names what the call is about, for error details and observers; a stream calls it
  // again when it names another model.
  void SetResource(std::string_view resource) const;
  // CountRequest is called for every message that came, whether or not it can be decoded, once it
  // is taken or to be let go of: until then it counts among those that are still arriving, which
  // have a bound of their own. CountResponse is called for every message that is to go.
  void CountRequest(const google::protobuf::MessageLite& request) const;
  void CountRequest(std::int64_t bytes) const;
  void CountResponse(const google::protobuf::MessageLite& response) const;
  void CountResponse(std::int64_t bytes) const;
  // CountRows is called with the rows of a minibatch that was learned or predicted.
  void CountRows(std::int64_t rows) const;

  Asker who() const;
  // BeginWait: the client is to read, or to send, `bytes`. The call is ended if that takes too
  // long, unless `wait` ends before.
  void BeginWait(Patience::Wait& wait, std::int64_t bytes) const;

  TimePoint deadline() const;
  // OK while the client is there and its deadline has not passed.
  absl::Status CheckWanted() const;
  StillWanted wanted() const;

  // LeaveMemory hands over the memory that the call holds to whoever keeps the answer until the
  // client has it.
  InFlight::Share LeaveMemory() const;

  // End is called exactly once, when nothing is left to be counted, and tells the observers.
  // Returns what gRPC is to be finished with.
  grpc::Status End(const absl::Status& status) const;

 protected:
  bool reads_only() const;
  // Gives the memory that the call holds to `memory`, which keeps it until the client has its
  // answer of `answer_bytes`.
  void LeaveMemory(CallMemory& memory, std::int64_t answer_bytes) const;

 private:
  struct State;
  explicit Call(std::shared_ptr<State> state, const char* method);
  std::shared_ptr<State> state_;
};

// A call of one request and one response. Whoever answers it keeps a copy.
class UnaryCall : public Call {
 public:
  // Whether OnceCancelled is to be called for a client that goes. gRPC then ends the call on a
  // thread of its own, which small calls would notice.
  enum class Watch { kNo, kClient };

  // `resource` is what the request names. Request and response live until Finish.
  UnaryCall(grpc::CallbackServerContext* context, const char* method, std::string_view resource,
            const google::protobuf::Message* request, google::protobuf::Message* response,
            const CallParts& parts, Watch watch = Watch::kNo);

  // Refused is called first. True: the caller may not call or may not use the resource, or a quota
  // or the memory is used up, and the call has been finished. `rows` are those of the request's
  // minibatch.
  bool Refused(std::int64_t rows = 0) const;

  // Calls `then` when the client goes or its deadline passes before Finish; at once when either has
  // happened. The call of `then` may come while another thread is about to Finish, so the two must
  // settle which of them finishes. One `then` at a time, and before Finish. REQUIRES:
  // Watch::kClient.
  void OnceCancelled(absl::AnyInvocable<void()> then) const;

  // Finish is called exactly once, on any thread; the response is whole when `status` is OK. A call
  // that only reads is answered with RESOURCE_EXHAUSTED when there is no memory for its answer.
  void Finish(const absl::Status& status) const;

  // The reactor that gRPC is given for the call.
  grpc::ServerUnaryReactor* reactor() const;

 private:
  class Watcher;
  Watcher* watcher_ = nullptr;         // the reactor, with Watch::kClient
  grpc::ServerUnaryReactor* reactor_;  // lives until Finish, at least
  std::string_view resource_;
  const google::protobuf::Message* request_;
  google::protobuf::Message* response_;
  CallMemory* memory_;  // null: nobody keeps anything when it is finished
};

}  // namespace prequel
