#include "tests/accept/chaos/registrar.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/accept/guard/attacks/wire.h"
#include "tests/end_to_end/crash_stream.h"

namespace prequel::accept {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause(30);
constexpr seconds kCounting(3);      // how long it is looked at after it has counted
constexpr seconds kNotAnswered(90);  // the server is being killed, or flooded

}  // namespace

Registrar::Registrar(Papers& papers, std::string visitor, std::string model, std::string grpc,
                     std::string http)
    : papers_(papers),
      visitor_(std::move(visitor)),
      model_(std::move(model)),
      grpc_(std::move(grpc)),
      http_(std::move(http)),
      thread_([this] { Run(); }) {}

Registrar::~Registrar() {
  stop_ = true;
  thread_.join();
}

void Registrar::Run() {
  while (!stop_) {
    Renew();
    for (const bool admitted : {false, true}) {
      papers_.Admit(visitor_, admitted);
      Call(admitted);
    }
  }
}

void Registrar::Renew() {
  const std::string certificate = papers_.RenewCertificate();
  const auto until = steady_clock::now() + kNotAnswered;
  const auto shown = [&](const std::string& address, const std::string& protocol) {
    return Wire({.address = address, .ca = papers_.ca(), .protocol = protocol}).Certificate() ==
           certificate;
  };
  while (!(shown(grpc_, "h2") && shown(http_, ""))) {
    if (stop_) return;
    if (steady_clock::now() > until) {
      ++not_shown_;
      return;
    }
    std::this_thread::sleep_for(5 * kPause);
  }
  ++certificates_;
}

void Registrar::Call(bool admitted) {
  client::ClientOptions options = papers_.OptionsOf(visitor_, grpc_);
  options.timeout = seconds(2);
  auto client = std::make_unique<client::Client>(options);
  const auto changed = steady_clock::now();
  auto counted = steady_clock::time_point::max();
  bool counts = false;
  for (int calls = 1; !stop_ && (!counts || steady_clock::now() - counted < kCounting); ++calls) {
    if (calls % 20 == 0) client = std::make_unique<client::Client>(options);
    const auto begun = steady_clock::now();
    const absl::Status status = client->Predict(model_, CrashQuery()).status();
    if (status.ok() == admitted && (status.ok() || absl::IsUnauthenticated(status))) {
      if (!admitted) ++refused_;
      if (!counts) counted = steady_clock::now();
      counts = true;
    } else if ((status.ok() || absl::IsUnauthenticated(status)) &&
               (counts || begun - changed > kGrace)) {
      ++(status.ok() ? wrongly_accepted_ : wrongly_refused_);
    }
    if (!counts && begun - changed > kNotAnswered) {
      ++not_counting_;
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
  if (!counts) return;
  ++policies_;
  slowest_ = std::max(slowest_.load(), std::chrono::duration<double>(counted - changed).count());
}

}  // namespace prequel::accept
