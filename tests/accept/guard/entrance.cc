#include "tests/accept/guard/entrance.h"

#include <grpcpp/grpcpp.h>

namespace prequel::accept {
namespace {

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(const Entrance& server) {
  if (server.ca.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = server.ca;
  std::shared_ptr<grpc::ChannelCredentials> channel = grpc::SslCredentials(tls);
  if (server.token.empty()) return channel;
  return grpc::CompositeChannelCredentials(channel, grpc::AccessTokenCredentials(server.token));
}

}  // namespace

std::shared_ptr<grpc::Channel> OwnChannel(const Entrance& server) {
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  own.SetMaxReceiveMessageSize(-1);
  own.SetMaxSendMessageSize(-1);
  return grpc::CreateCustomChannel(server.address, CredentialsFor(server), own);
}

std::unique_ptr<v1::LearningService::Stub> LearningStub(const Entrance& server) {
  return v1::LearningService::NewStub(OwnChannel(server));
}

std::unique_ptr<v1::ModelService::Stub> ModelStub(const Entrance& server) {
  return v1::ModelService::NewStub(OwnChannel(server));
}

}  // namespace prequel::accept
