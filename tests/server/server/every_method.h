// A way to call every method of all services, but for health, as anybody, about any model.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "prequel/v1/learning_service.grpc.pb.h"
#include "prequel/v1/model_service.grpc.pb.h"

namespace prequel {

// How somebody calls.
struct Door {
  std::shared_ptr<grpc::Channel> channel;
  std::string authorization;  // empty: none
};

template <class Stub, class Request, class Response>
grpc::StatusCode Unary(const Door& door, Stub& stub,
                       grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                    Response*),
                       const Request& request, Response* response) {
  grpc::ClientContext context;
  if (!door.authorization.empty()) context.AddMetadata("authorization", door.authorization);
  return (stub.*method)(&context, request, response).error_code();
}

// Of each method: what comes of a call about `model`.
using Try = std::function<grpc::StatusCode(const Door&, const std::string& model)>;

std::map<std::string, Try> EveryMethod();

}  // namespace prequel
