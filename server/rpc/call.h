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

// What a call that gRPC knows nothing of says for itself.
struct CallOrigin {
  Credentials credentials;
  std::string peer;  // as gRPC would name it; empty: nobody says
  TimePoint deadline = TimePoint::max();
  std::function<bool()> gone;  // whether the client is; on any thread
  std::string request_id;      // as request_id.h has it
};

// A small value: copies are of the same call. It goes from thread to thread, one at a time, but for
// what may be asked on any thread until End: deadline, CheckWanted and wanted.
class Call {
 public:
  // `method` is a literal. `context` lives until End, `parts` longer. First of all: the client is
  // given back the call's request id before anything else.
  Call(grpc::CallbackServerContext* context, const char* method, const CallParts& parts);
  Call(CallOrigin origin, const char* method, const CallParts& parts);

  // Whether the caller is known, its role includes the method, and it may begin another call. A
  // call that is not admitted ends with this; nothing else is asked of it.
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
  // Takes it of the caller's quotas, of those of the resource, which is a model, and of the memory:
  // all or nothing; RESOURCE_EXHAUSTED says of which. Until End.
  absl::Status Take(const Load& load) const;
  // The same for one of the requests of a stream: until it is answered, at the latest by End.
  struct Holding {
    QuotaUse quotas;
    std::int64_t memory = 0;
  };
  absl::StatusOr<Holding> Hold(const Load& load) const;
  void GiveBack(Holding holding) const;
  // Of that memory alone, until End: what is held of an answer. Counts it whatever there is.
  absl::Status TakeMemory(std::int64_t bytes) const;
  void CountMemory(std::int64_t bytes) const;
  // The same for one more model, with those there are that the caller may use given by `existing`.
  // Until End.
  absl::Status TakeModel(const absl::AnyInvocable<std::int64_t() const>& existing) const;
  // Whether the policy still has the caller, for calls that last; it counts as it is there from now
  // on.
  absl::Status Renew() const;

  // What the call is about, for error details and observers; again when a stream names another.
  void SetResource(std::string_view resource) const;
  // Of every message that came, or is to go. One that came, whether or not it can be decoded, is
  // counted once it is taken, or is to be let go of: until then it is one of those that are still
  // arriving, which have a bound of their own.
  void CountRequest(const google::protobuf::MessageLite& request) const;
  void CountRequest(std::int64_t bytes) const;
  void CountResponse(const google::protobuf::MessageLite& response) const;
  void CountResponse(std::int64_t bytes) const;
  // Of a minibatch that was learned or predicted.
  void CountRows(std::int64_t rows) const;

  Asker who() const;
  // The client is to read, or to send, so much: ends the call if that takes too long.
  void BeginWait(Patience::Wait& wait, std::int64_t bytes) const;

  TimePoint deadline() const;
  // OK while whoever asked is there and waits.
  absl::Status CheckWanted() const;
  StillWanted wanted() const;

  // What it holds of that memory, for whoever keeps the answer until the client has it.
  InFlight::Share LeaveMemory() const;

  // Exactly once, when nothing is left to be counted: tells the observers. Returns what gRPC is to
  // be finished with.
  grpc::Status End(const absl::Status& status) const;

 protected:
  bool reads_only() const;
  // Gives up what it holds of the memory to who keeps it until the client has its answer.
  void LeaveMemory(CallMemory& memory, std::int64_t answer_bytes) const;

 private:
  struct State;
  explicit Call(std::shared_ptr<State> state, const char* method);
  std::shared_ptr<State> state_;
};

// A call of one request and one response, to be copied into whoever answers.
class UnaryCall : public Call {
 public:
  // Whether somebody is to be told of a client that goes. gRPC then ends the call on a thread of
  // its own, which small calls would notice.
  enum class Watch { kNo, kClient };

  // `resource` is what the request names. Request and response live until Finish.
  UnaryCall(grpc::CallbackServerContext* context, const char* method, std::string_view resource,
            const google::protobuf::Message* request, google::protobuf::Message* response,
            const CallParts& parts, Watch watch = Watch::kNo);

  // First of all. True: the caller may not call, may not use the resource, or has used up a quota;
  // then the call is finished. `rows` are those of the request's minibatch.
  bool Refused(std::int64_t rows = 0) const;

  // Calls `then` when the client goes or its deadline passes before Finish; at once when either has
  // happened. It may come while another thread is about to Finish: both of them must know who does.
  // One at a time, and before Finish. REQUIRES: Watch::kClient.
  void OnceCancelled(absl::AnyInvocable<void()> then) const;

  // Exactly once, on any thread; the response is whole when `status` is OK. When there is no memory
  // for the answer of a call that only reads, that is what is answered.
  void Finish(const absl::Status& status) const;

  // What gRPC is given for the call.
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
