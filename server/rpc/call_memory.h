// Request and response of a call in memory, from when gRPC has read the one until it has sent the
// other.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>

#include <cstdint>
#include <utility>

#include "server/memory/in_flight.h"
#include "server/rpc/patience.h"

namespace prequel {

// What a call that has been answered still holds, until its client has the answer.
class CallMemory {
 public:
  void Keep(InFlight::Share share) { share_ = std::move(share); }
  void AwaitReader(Patience& patience, const grpc::CallbackServerContext& context,
                   std::int64_t bytes) {
    patience.Begin(wait_, context, bytes);
  }

 protected:
  virtual ~CallMemory() = default;

 private:
  InFlight::Share share_;
  Patience::Wait wait_;
};

// gRPC asks it for the messages of each call of one method.
template <class Request, class Response>
class CallMessages final : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Held; }

 private:
  class Held final : public grpc::MessageHolder<Request, Response>, public CallMemory {
   public:
    Held() {
      this->set_request(&request_);
      this->set_response(&response_);
    }
    void Release() override { delete this; }

   private:
    ~Held() override = default;
    Request request_;
    Response response_;
  };
};

}  // namespace prequel
