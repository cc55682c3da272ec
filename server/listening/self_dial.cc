#include "server/listening/self_dial.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// A machine that is merely busy is given this long.
constexpr std::chrono::seconds kPatience{4};

// Where a connection from this machine goes to.
std::string TargetOf(const HostPort& address) {
  std::string host = address.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  const bool v6 = host.find(':') != host.npos;
  return v6 ? absl::StrCat("[", host, "]:", address.port) : absl::StrCat(host, ":", address.port);
}

// Nothing is sent, so it does not matter who answers.
std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(bool tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace

SelfDial::SelfDial(const HostPort& address, bool tls, std::function<std::int64_t()> refused,
                   std::chrono::milliseconds pause)
    : target_(TargetOf(address)),
      credentials_(CredentialsFor(tls)),
      refused_(std::move(refused)),
      repeated_(pause, [this] { answered_.store(Look(), std::memory_order_relaxed); }) {}

bool SelfDial::Look() const {
  const std::int64_t before = refused_();
  return Dial() || refused_() > before;
}

bool SelfDial::Dial() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const auto channel = grpc::CreateCustomChannel(target_, credentials_, arguments);
  const auto deadline = std::chrono::system_clock::now() + kPatience;
  for (;;) {
    const grpc_connectivity_state state = channel->GetState(true);
    if (state == GRPC_CHANNEL_READY) return true;
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) return false;
    if (!channel->WaitForStateChange(state, deadline)) return false;
  }
}

}  // namespace prequel
