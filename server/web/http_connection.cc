#include "server/web/http_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "server/rpc/request_id.h"
#include "server/web/error_answer.h"
#include "server/web/http_exchange.h"

namespace prequel {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Error = beast::error_code;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::uint32_t kMaxHeader = 8192;
constexpr std::size_t kMaxBuffer = 16384;
constexpr char kJsonLength[] = "Inference-Header-Content-Length";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string Bytes(std::int64_t count) { return std::to_string(count) + " bytes"; }

HttpAnswer TooLarge(std::int64_t most) {
  return ErrorAnswer(413, "the body is larger than " + Bytes(most));
}

template <class Stream>
class Connection final : public HttpConnection,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, std::shared_ptr<asio::ssl::context> context, HttpConnectionParts parts)
      : context_(std::move(context)),
        stream_(std::move(stream)),
        parts_(std::move(parts)),
        late_(stream_.get_executor()) {}
  ~Connection() override {
    Leave();
    parts_.ended();
  }

  void Begin() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Restart(parts_.options.patience);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const Error& error) {
                                if (!error) self->Read();
                              });
    } else {
      Read();
    }
  }

  void Close() override {
    late_.cancel();
    beast::get_lowest_layer(stream_).close();
  }

  void Leave() override {
    if (exchange_ != nullptr) exchange_->Leave();
    exchange_.reset();
    TakeBytes(-taken_);
  }

 private:
  using Parser = http::request_parser<http::string_body>;

  // The clock runs over all that follows, until the next time.
  void Restart(std::chrono::milliseconds patience) {
    beast::get_lowest_layer(stream_).expires_after(patience);
  }

  void Read() {
    Restart(parts_.options.patience);
    limit_ = {.bytes = parts_.options.max_body_bytes, .beyond = {}};
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(static_cast<std::uint64_t>(parts_.options.max_body_bytes));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](const Error& error, std::size_t) {
                              self->OnHead(error);
                            });
  }

  void OnHead(const Error& error) {
    if (error) return OnError(error);
    const beast::string_view encoding = parser_->get()[http::field::transfer_encoding];
    if (!encoding.empty() && !beast::iequals(encoding, "chunked")) {
      return Write(ErrorAnswer(501, "the only Transfer-Encoding is chunked"), false);
    }
    const std::uint64_t length = parser_->content_length().value_or(0);
    head_ = Head();
    limit_ = parts_.handler.body_limit(head_);
    limit_.bytes = std::min(limit_.bytes, parts_.options.max_body_bytes);
    if (length > static_cast<std::uint64_t>(limit_.bytes)) return RefuseLength();
    parser_->body_limit(static_cast<std::uint64_t>(limit_.bytes));
    const auto bytes = static_cast<std::int64_t>(length);
    if (!HasRoomFor(bytes, bytes)) return RefuseBody();
    TakeBytes(bytes);
    began_ = std::chrono::steady_clock::now();
    GiveTimeFor(bytes);
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return ReadBody();
    asio::async_write(stream_, asio::buffer(kContinue),
                      [self = this->shared_from_this()](const Error& failed, std::size_t) {
                        if (!failed) self->ReadBody();
                      });
  }

  void ReadBody() {
    if (parser_->chunked()) return ReadChunks();
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const Error& error, std::size_t) {
                       error ? self->OnError(error) : self->Ask();
                     });
  }

  // The length of a chunked body is not known before its end: the body counts as it comes.
  void ReadChunks() {
    parser_->eager(true);  // takes all of the chunks that have come
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = this->shared_from_this()](const Error& error, std::size_t) {
                            error ? self->OnError(error) : self->OnChunks();
                          });
  }

  void OnChunks() {
    const auto more = static_cast<std::int64_t>(parser_->get().body().capacity()) - taken_;
    if (more > 0) {
      if (!HasRoomFor(taken_ + more, more)) return RefuseBody();
      TakeBytes(more);
    }
    if (parser_->is_done()) return Ask();
    GiveTimeFor(static_cast<std::int64_t>(parser_->get().body().size()));
    ReadChunks();
  }

  void OnError(const Error& error) {
    if (error == http::error::header_limit) {
      return Write(ErrorAnswer(431, "the header is longer than " + Bytes(kMaxHeader)), false);
    }
    if (error == http::error::body_limit) return RefuseLength();
    if (error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return Write(ErrorAnswer(400, "no HTTP request that can be read: " + error.message()), false);
    }
  }

  HttpRequest Head() {
    const auto& message = parser_->get();
    const std::string target(message.target());
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.path = target.substr(0, target.find('?'));
    request.request_id = RequestId();
    request.content_encoding = std::string(message[http::field::content_encoding]);
    const std::string json(message[kJsonLength]);
    std::size_t length = 0;
    const auto read = std::from_chars(json.data(), json.data() + json.size(), length);
    if (!json.empty()) {
      const bool sound = read.ec == std::errc() && read.ptr == json.data() + json.size();
      request.json_length = sound ? length : std::string::npos;  // longer than any body
    }
    request.peer = parts_.peer;
    const SSL* tls = nullptr;
    if constexpr (std::is_same_v<Stream, TlsStream>) tls = stream_.native_handle();
    request.credentials = CredentialsOf(std::string(message[http::field::authorization]), tls);
    return request;
  }

  std::string RequestId() const {
    return std::string(RequestIdOf(std::string(parser_->get()[kRequestIdHeader])));
  }

  // Ask hands the request to the handler. From here on the clock is a timer, which keeps the
  // connection until it is answered.
  void Ask() {
    const std::shared_ptr<Connection> self = this->shared_from_this();
    const std::weak_ptr<Connection> weak = self;
    parts_.answering(true);
    exchange_ = std::make_shared<HttpExchange>(
        [weak, executor = stream_.get_executor()](HttpAnswer answer) {
          asio::post(executor, [weak, answer = std::move(answer)]() mutable {
            if (const auto connection = weak.lock()) connection->OnAnswer(std::move(answer), true);
          });
        });
    late_.expires_after(parts_.options.longest_answer);
    late_.async_wait([self](const Error& error) {
      if (!error) self->OnAnswer(ErrorAnswer(504, "the answer took too long"), false);
    });
    HttpRequest request = std::move(head_);
    request.body = std::move(parser_->get().body());
    request.gone = [exchange = exchange_] { return exchange->gone(); };
    parts_.handler.answer(std::move(request), [exchange = exchange_](HttpAnswer answer) {
      exchange->Respond(std::move(answer));
    });
  }

  // An answer that comes late finds the connection ending.
  void OnAnswer(HttpAnswer answer, bool in_time) {
    if (exchange_ == nullptr) return;
    Leave();
    late_.cancel();
    Write(std::move(answer), in_time && parser_->get().keep_alive());
  }

  // Whether there is room for `more` bytes of a body of `bytes`. There is always for a small one.
  bool HasRoomFor(std::int64_t bytes, std::int64_t more) const {
    return bytes <= kSmallBody || parts_.body_bytes + more <= parts_.options.max_bodies_bytes;
  }

  // A body of `bytes` has so much time since its head came.
  void GiveTimeFor(std::int64_t bytes) {
    beast::get_lowest_layer(stream_).expires_at(began_ +
                                                parts_.options.patience * (1 + (bytes >> 20)));
  }

  void RefuseLength() { Write(std::move(limit_.beyond).value_or(TooLarge(limit_.bytes)), false); }
  void RefuseBody() {
    Write(ErrorAnswer(503, "too many bodies are being read: try again later"), false);
  }

  void TakeBytes(std::int64_t bytes) {
    taken_ += bytes;
    parts_.body_bytes += bytes;
  }

  void Write(HttpAnswer answer, bool keep_alive) {
    Leave();
    response_.emplace(http::int_to_status(answer.status), 11);
    response_->set(http::field::content_type, answer.type);
    response_->set(http::field::cache_control, "no-store");
    if (const std::string id = RequestId(); !id.empty()) response_->set(kRequestIdHeader, id);
    if (!answer.allow.empty()) response_->set(http::field::allow, answer.allow);
    if (!answer.authenticate.empty()) {
      response_->set(http::field::www_authenticate, answer.authenticate);
    }
    if (answer.json_length > 0) response_->set(kJsonLength, std::to_string(answer.json_length));
    response_->keep_alive(keep_alive);
    response_->content_length(answer.body.size());
    if (parser_->get().method() != http::verb::head) response_->body() = std::move(answer.body);
    held_ = std::move(answer.held);
    Restart(parts_.options.patience *
            (1 + static_cast<std::int64_t>(response_->body().size() >> 20)));
    http::async_write(
        stream_, *response_,
        [self = this->shared_from_this(), keep_alive](const Error& error, std::size_t) {
          self->response_.reset();
          self->held_.reset();
          self->parts_.answering(false);
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
  asio::steady_timer late_;
  beast::flat_static_buffer<kMaxBuffer> buffer_;
  std::optional<Parser> parser_;
  // The head of the request that is being read. Fields that follow a chunked body are not in the
  // head.
  HttpRequest head_;
  BodyLimit limit_;
  std::chrono::steady_clock::time_point began_;  // as the head had come
  std::optional<http::response<http::string_body>> response_;
  std::shared_ptr<HttpExchange> exchange_;  // of the request that is being answered
  std::shared_ptr<const void> held_;        // by response_
  std::int64_t taken_ = 0;                  // of parts_.body_bytes
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
