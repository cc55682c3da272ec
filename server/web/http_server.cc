#include "server/web/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "server/web/http_connection.h"
#include "server/web/room.h"

namespace prequel {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using asio::ip::tcp;

// The pause after no connection could be accepted, for want of descriptors as a rule.
constexpr std::chrono::milliseconds kBreath{100};

std::shared_ptr<asio::ssl::context> ContextOf(const TlsMaterial& material) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  Error ignored;  // the material has been checked
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                           asio::ssl::context::no_tlsv1_1 | SSL_OP_NO_TICKET |
                           SSL_OP_NO_RENEGOTIATION,
                       ignored);
  SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  context->use_certificate_chain(asio::buffer(material.certificate), ignored);
  context->use_private_key(asio::buffer(material.key), asio::ssl::context::pem, ignored);
  if (!material.client_ca.empty()) {
    context->add_certificate_authority(asio::buffer(material.client_ca), ignored);
    context->set_verify_mode(asio::ssl::verify_peer, ignored);
  }
  return context;
}

std::string NameOf(const tcp::endpoint& peer) {
  const asio::ip::address& address = peer.address();
  const std::string port = ":" + std::to_string(peer.port());
  if (address.is_v4()) return "ipv4:" + address.to_string() + port;
  const asio::ip::address_v6 v6 = address.to_v6();
  if (!v6.is_v4_mapped()) return "ipv6:[" + v6.to_string() + "]" + port;
  return "ipv4:" + asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string() + port;
}

// An IPv4 address, or the network of 64 bits that one of IPv6 is in.
std::string HostOf(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  return asio::ip::network_v6(v6, 64).canonical().to_string();
}

}  // namespace

// All of it belongs to thread_ once that runs.
class HttpServer::Impl {
 public:
  Impl(const HttpOptions& options, HttpHandler handler)
      : options_(options), handler_(std::move(handler)) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    // Nobody is to post answers while io_ goes.
    std::vector<std::weak_ptr<HttpConnection>> connections;
    connections.reserve(open_.size());
    for (const auto& [place, connection] : open_) connections.push_back(connection);
    for (const auto& open : connections) {
      if (const auto connection = open.lock()) connection->Leave();
    }
  }

  Error Listen() {
    Error error;
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(options_.host, std::to_string(options_.port),
                                        tcp::resolver::passive, error);
    if (error) return error;
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    // SO_REUSEADDR, not SO_REUSEPORT, which lets two servers share a port without either knowing.
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return error;
    port_ = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] { io_.run(); });
    return error;
  }

  int port() const { return port_; }

 private:
  void Accept() {
    acceptor_.async_accept([this](const Error& error, tcp::socket socket) {
      if (error) return AcceptLater();
      Add(std::move(socket));
      Accept();
    });
  }

  void AcceptLater() {
    breath_.expires_after(kBreath);
    breath_.async_wait([this](const Error&) { Accept(); });
  }

  void Add(tcp::socket socket) {
    Error error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    if (error) return;
    const std::optional<Room::Entry> entry = room_.Enter(HostOf(peer.address()));
    if (!entry) return;
    if (entry->leaves) Close(*entry->leaves);
    const auto connection = MakeHttpConnection(
        std::move(socket), Context(),
        {.handler = handler_,
         .options = options_,
         .body_bytes = body_bytes_,
         .peer = NameOf(peer),
         .answering =
             [this, place = entry->place](bool answering) { room_.SetAnswering(place, answering); },
         .ended =
             [this, place = entry->place] {
               room_.Leave(place);
               open_.erase(place);
             }});
    open_.emplace(entry->place, connection);
    connection->Begin();
  }

  void Close(Room::Place place) {
    const auto open = open_.find(place);
    if (open == open_.end()) return;
    if (const auto connection = open->second.lock()) connection->Close();
  }

  // Context is of the present certificates; null: plain text.
  std::shared_ptr<asio::ssl::context> Context() {
    if (options_.tls == nullptr) return nullptr;
    std::shared_ptr<const TlsMaterial> material = options_.tls->current();
    if (material != material_) {
      context_ = ContextOf(*material);
      material_ = std::move(material);
    }
    return context_;
  }

  const HttpOptions options_;
  const HttpHandler handler_;
  int port_ = 0;
  std::shared_ptr<const TlsMaterial> material_;  // that context_ was made of
  std::shared_ptr<asio::ssl::context> context_;
  std::int64_t body_bytes_ = 0;
  // Both outlive io_, whose connections leave them.
  Room room_{options_.max_connections, options_.max_connections_per_peer};
  std::map<Room::Place, std::weak_ptr<HttpConnection>> open_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer breath_{io_};
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                              HttpHandler handler) {
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  if (const Error error = impl->Listen()) {
    return absl::UnavailableError("cannot listen on " + options.host + ":" +
                                  std::to_string(options.port) + " for HTTP: " + error.message());
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace prequel
