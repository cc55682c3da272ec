#include "server/web/http_connection.h"

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace prequel {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Error = beast::error_code;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::uint32_t kMaxHeader = 8192;
constexpr std::uint64_t kMaxBody = 1024;  // nobody has anything to send
constexpr std::size_t kMaxBuffer = 16384;

template <class Stream>
class Connection final : public HttpConnection,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, std::shared_ptr<asio::ssl::context> context, HttpConnectionParts parts)
      : context_(std::move(context)), stream_(std::move(stream)), parts_(std::move(parts)) {}
  ~Connection() override { parts_.ended(); }

  void Begin() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Restart();
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const Error& error) {
                                if (!error) self->Read();
                              });
    } else {
      Read();
    }
  }

  void Close() override { beast::get_lowest_layer(stream_).cancel(); }

 private:
  // The clock runs over all that follows, until the next time.
  void Restart() { beast::get_lowest_layer(stream_).expires_after(parts_.patience); }

  void Read() {
    Restart();
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(kMaxBody);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const Error& error, std::size_t) {
                       self->OnRead(error);
                     });
  }

  void OnRead(const Error& error) {
    if (error == http::error::header_limit) return Write(Refusal(431), false);
    if (error == http::error::body_limit) return Write(Refusal(413), false);
    if (error && error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return Write(Refusal(400), false);
    }
    if (!error) Write(Answer(), parser_->get().keep_alive());
  }

  static HttpAnswer Refusal(unsigned status) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = std::string(http::obsolete_reason(http::int_to_status(status))) + "\n";
    return answer;
  }

  HttpAnswer Answer() {
    const auto& request = parser_->get();
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return Refusal(405);
    }
    const std::string target(request.target());
    HttpRequest asked;
    asked.path = target.substr(0, target.find('?'));
    asked.credentials.authorization = std::string(request[http::field::authorization]);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      asked.credentials.names = NamesOf(*stream_.native_handle());
    }
    return parts_.handler(asked);
  }

  void Write(HttpAnswer answer, bool keep_alive) {
    response_.emplace(http::int_to_status(answer.status), 11);
    response_->set(http::field::content_type, answer.type);
    response_->set(http::field::cache_control, "no-store");
    if (answer.status == 405) response_->set(http::field::allow, "GET, HEAD");
    if (!answer.authenticate.empty()) {
      response_->set(http::field::www_authenticate, answer.authenticate);
    }
    response_->keep_alive(keep_alive);
    response_->content_length(answer.body.size());
    if (parser_->get().method() != http::verb::head) response_->body() = std::move(answer.body);
    Restart();
    http::async_write(
        stream_, *response_,
        [self = this->shared_from_this(), keep_alive](const Error& error, std::size_t) {
          if (!error) keep_alive ? self->Read() : self->End();
        });
  }

  // A plain close would tear the answer away from a client that is still sending.
  void End() {
    Error ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(asio::ip::tcp::socket::shutdown_send,
                                                       ignored);
    Discard();
  }

  void Discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kMaxBuffer),
                            [self = this->shared_from_this()](const Error& error, std::size_t) {
                              if (!error) self->Discard();
                            });
  }

  const std::shared_ptr<asio::ssl::context> context_;
  Stream stream_;
  const HttpConnectionParts parts_;
  beast::flat_static_buffer<kMaxBuffer> buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
};

}  // namespace

std::shared_ptr<HttpConnection> MakeHttpConnection(asio::ip::tcp::socket socket,
                                                   std::shared_ptr<asio::ssl::context> context,
                                                   HttpConnectionParts parts) {
  beast::tcp_stream plain(std::move(socket));
  if (context == nullptr) {
    return std::make_shared<Connection<beast::tcp_stream>>(std::move(plain), nullptr,
                                                           std::move(parts));
  }
  TlsStream stream(std::move(plain), *context);
  return std::make_shared<Connection<TlsStream>>(std::move(stream), std::move(context),
                                                 std::move(parts));
}

}  // namespace prequel
