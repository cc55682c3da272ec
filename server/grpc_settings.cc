#include "server/grpc_settings.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "server/rpc/undecodable.h"

namespace prequel {
namespace {

// A connection that says nothing is asked whether it is still there.
constexpr int kKeepaliveMs = 60'000;
// A connection keeps the certificates that it began with: it is asked to end, once the calls in
// progress are done, so that changed ones come to count.
constexpr int kMaxConnectionAgeMs = 3'600'000;
// One without calls is ended, and one that does not get as far as HTTP/2.
constexpr int kMaxIdleMs = 300'000;
constexpr int kHandshakeMs = 10'000;

// Takes the plugin out again, which gRPC gives to every server of the process.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins, [](const std::unique_ptr<grpc::ServerBuilderPlugin>& plugin) {
      return dynamic_cast<grpc::reflection::ProtoServerReflectionPlugin*>(plugin.get()) != nullptr;
    });
  }
};

void BoundMessages(const ServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  // Our answers are bounded by max_answer_bytes, which counts only the numbers in them.
  builder.SetMaxSendMessageSize(-1);
  // gRPC looks at the length of a compressed message only once it has all of it decompressed.
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  // The last resort: beyond it gRPC ends calls without asking whose they are.
  grpc::ResourceQuota quota("prequel");
  builder.SetResourceQuota(quota.Resize(static_cast<std::size_t>(BudgetsOf(options).all)));
}

void BoundConnections(const ServerOptions& options, grpc::ServerBuilder& builder) {
  // Without this two servers can share a port, each getting some of the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxIdleMs);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 1);  // OpenCalls asks it
  if (!options.tls_cert.empty()) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, kMaxConnectionAgeMs);
  }
}

}  // namespace

void ConfigureGrpc(const ServerOptions& options, grpc::ServerBuilder& builder) {
  BoundMessages(options, builder);
  BoundConnections(options, builder);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(std::make_unique<UndecodableInterceptor>());
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  // Reflection asks nobody who calls: it is for servers that do not either.
  if (!options.policy.empty()) builder.SetOption(std::make_unique<WithoutReflection>());
}

}  // namespace prequel
