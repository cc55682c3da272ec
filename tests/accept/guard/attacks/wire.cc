#include "tests/accept/guard/attacks/wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace prequel::accept {
namespace {

sockaddr_in AddressOf(const char* host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, host, &address.sin_addr);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int Connected(const Wire::Options& options) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval longest{Wire::kLongestSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof(longest));
  const sockaddr_in from = AddressOf(options.from, 0);
  (void)bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof(from));
  const std::string& address = options.address;
  const sockaddr_in to = AddressOf("127.0.0.1", std::stoi(address.substr(address.rfind(':') + 1)));
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) return fd;
  close(fd);
  return -1;
}

// Of `pem`, all that are trusted.
void Trust(SSL_CTX* context, const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  while (X509* next = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), next);
    X509_free(next);
  }
  BIO_free(bio);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

}  // namespace

struct Wire::Tls {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = nullptr;

  Tls() = default;
  ~Tls() {
    SSL_free(ssl);
    SSL_CTX_free(context);
    ERR_clear_error();
  }
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
};

Wire::Wire(const Options& options) : fd_(Connected(options)), broken_(fd_ < 0) {
  if (!broken_ && !options.ca.empty() && options.handshake) Handshake(options);
}

Wire::~Wire() {
  tls_.reset();
  if (fd_ >= 0) close(fd_);
}

void Wire::Handshake(const Options& options) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that have ended
  tls_ = std::make_unique<Tls>();
  Trust(tls_->context, options.ca);
  tls_->ssl = SSL_new(tls_->context);
  if (!options.protocol.empty()) {
    const std::string list = static_cast<char>(options.protocol.size()) + options.protocol;
    SSL_set_alpn_protos(tls_->ssl, reinterpret_cast<const unsigned char*>(list.data()),
                        static_cast<unsigned>(list.size()));
  }
  SSL_clear_mode(tls_->ssl, SSL_MODE_AUTO_RETRY);  // does not wait for more after a session ticket
  SSL_set_fd(tls_->ssl, fd_);
  broken_ = SSL_connect(tls_->ssl) != 1;
}

std::string Wire::Certificate() const {
  X509* const certificate =
      tls_ == nullptr || broken_ ? nullptr : SSL_get1_peer_certificate(tls_->ssl);
  if (certificate == nullptr) return "";
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<std::size_t>(length));
  BIO_free(bio);
  X509_free(certificate);
  return pem;
}

void Wire::Send(std::string_view bytes) {
  while (!bytes.empty() && !broken_) {
    const int most = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
    const ssize_t sent = tls_ != nullptr ? SSL_write(tls_->ssl, bytes.data(), most)
                                         : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    broken_ = sent <= 0;
    if (!broken_) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Wire::Receive(int wait_ms) {
  std::string received;
  pollfd polled{fd_, POLLIN, 0};
  const auto pending = [this] { return tls_ != nullptr && SSL_pending(tls_->ssl) > 0; };
  while (!broken_ && (pending() || poll(&polled, 1, wait_ms) > 0)) {
    char buffer[1 << 14];
    const ssize_t got = tls_ != nullptr ? SSL_read(tls_->ssl, buffer, sizeof(buffer))
                                        : recv(fd_, buffer, sizeof(buffer), 0);
    const bool nothing_yet = tls_ != nullptr && got <= 0 &&
                             SSL_get_error(tls_->ssl, static_cast<int>(got)) == SSL_ERROR_WANT_READ;
    broken_ = got <= 0 && !nothing_yet;
    if (got > 0) received.append(buffer, static_cast<std::size_t>(got));
    wait_ms = 0;
  }
  return received;
}

std::string HttpGet(const Wire::Options& server, const std::string& path) {
  Wire wire(server);
  wire.Send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  std::string answer;
  while (!wire.broken()) {
    const std::string piece = wire.Receive(1000 * Wire::kLongestSeconds);
    if (piece.empty()) break;
    answer += piece;
  }
  return answer;
}

}  // namespace prequel::accept
