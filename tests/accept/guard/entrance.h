// How one comes to a server.
#pragma once

#include <memory>
#include <string>

#include "prequel/v1/learning_service.grpc.pb.h"
#include "prequel/v1/model_service.grpc.pb.h"

namespace prequel::accept {

struct Entrance {
  std::string address;  // HOST:PORT, of gRPC
  std::string ca;       // PEM, of who signs the server's certificate; empty: plain text
  std::string token;    // shown with each call; empty: none. REQUIRES: TLS
  std::string http;     // HOST:PORT, for whoever comes that way as well
};

// A connection of its own; a stub with one.
std::shared_ptr<grpc::Channel> OwnChannel(const Entrance& server);
std::unique_ptr<v1::LearningService::Stub> LearningStub(const Entrance& server);
std::unique_ptr<v1::ModelService::Stub> ModelStub(const Entrance& server);

}  // namespace prequel::accept
