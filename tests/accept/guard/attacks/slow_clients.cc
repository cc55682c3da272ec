#include "tests/accept/guard/attacks/slow_clients.h"

#include <chrono>
#include <string>
#include <string_view>

namespace prequel::accept {
namespace {

constexpr std::size_t kKinds = 5, kWires = 200;  // more of HTTP than a peer may have
constexpr std::chrono::milliseconds kPause(5);

// As much of a ClientHello as says that more is to come.
constexpr std::string_view kHalfAHandshake("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);

// A request whose headers go on.
constexpr std::string_view kHalfAHead = "POST /v2/models/m/infer HTTP/1.1\r\nX: ";

}  // namespace

SlowClients::SlowClients(const Entrance& server)
    : server_(server), wires_(kWires), thread_([this] {
        for (std::size_t next = 0; !stop_; ++next) {
          Step(next % kWires);
          std::this_thread::sleep_for(kPause);
        }
      }) {}

SlowClients::~SlowClients() {
  stop_ = true;
  thread_.join();
}

Wire::Options SlowClients::OptionsOf(Kind kind) const {
  const bool grpc = kind == Kind::kSilent || kind == Kind::kHandshake;
  return {.address = grpc ? server_.address : server_.http,
          .ca = server_.ca,
          .protocol = grpc ? "h2" : "",
          .from = "127.0.0.10",
          .handshake = kind != Kind::kHandshake};
}

void SlowClients::Step(std::size_t place) {
  static const std::string kHeaders(64 << 10, 'x');
  const Kind kind = static_cast<Kind>(place % kKinds);
  std::unique_ptr<Wire>& wire = wires_[place];
  if (wire == nullptr || wire->broken()) {
    wire = std::make_unique<Wire>(OptionsOf(kind));
    if (wire->broken()) return;
    ++connections_;
    if (kind == Kind::kHandshake) wire->Send(kHalfAHandshake);
    if (kind == Kind::kLetters || kind == Kind::kHeaders) wire->Send(kHalfAHead);
  } else if (kind == Kind::kLetters) {
    wire->Send("x");  // about one a second
  } else if (kind == Kind::kHeaders) {
    wire->Send(kHeaders);
  } else if (kind == Kind::kUnread) {
    wire->Send("GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return;
  }
  if (kind != Kind::kUnread) (void)wire->Receive(0);  // notices the end
}

}  // namespace prequel::accept
