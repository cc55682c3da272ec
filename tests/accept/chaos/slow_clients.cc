#include "tests/accept/chaos/slow_clients.h"

#include <chrono>

namespace prequel::accept {
namespace {

constexpr std::size_t kWires = 160;
constexpr std::chrono::milliseconds kPause(5);

// As much of a ClientHello as says that more is to come.
constexpr std::string_view kHalfAHandshake("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);

}  // namespace

SlowClients::SlowClients(const std::string& grpc, const std::string& http, const std::string& ca)
    : grpc_(grpc), http_(http), ca_(ca), wires_(kWires), thread_([this] {
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
  const bool http = kind == Kind::kLetters || kind == Kind::kUnread;
  return {.address = http ? http_ : grpc_,
          .ca = ca_,
          .protocol = http ? "" : "h2",
          .from = "127.0.0.10",
          .handshake = kind != Kind::kHandshake};
}

void SlowClients::Step(std::size_t place) {
  const Kind kind = static_cast<Kind>(place % 4);
  std::unique_ptr<Wire>& wire = wires_[place];
  if (wire == nullptr || wire->broken()) {
    wire = std::make_unique<Wire>(OptionsOf(kind));
    if (wire->broken()) return;
    ++connections_;
    if (kind == Kind::kHandshake) wire->Send(kHalfAHandshake);
    if (kind == Kind::kLetters) wire->Send("POST /v2/models/honest-0/infer HTTP/1.1\r\nX: ");
  } else if (kind == Kind::kLetters) {
    wire->Send("x");  // about one a second
  } else if (kind == Kind::kUnread) {
    wire->Send("GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return;
  }
  if (kind != Kind::kUnread) (void)wire->Receive(0);  // notices the end
}

}  // namespace prequel::accept
