#include "server/rpc/patience.h"

#include <grpc/grpc.h>

#include <utility>

namespace prequel {
namespace {

constexpr std::chrono::milliseconds kOften{250};

// EndCall ends the call as TryCancel would, except that the client is told why: TryCancel says
// nothing but CANCELLED.
void EndCall(const grpc::CallbackServerContext& context) {
  auto& ended = const_cast<grpc::CallbackServerContext&>(context);
  (void)grpc_call_cancel_with_status(
      ended.c_call(), GRPC_STATUS_DEADLINE_EXCEEDED,
      "the client took too long to read what it was sent, or to send what is next "
      "(--patience-seconds)",
      nullptr);
}

}  // namespace

Patience::Patience(std::chrono::milliseconds patience)
    : patience_(patience), repeated_(kOften, [this] { Look(); }) {}

void Patience::Wait::End() {
  if (Patience* of = std::exchange(of_, nullptr)) of->Erase(it_);
}

void Patience::Begin(Wait& wait, const grpc::CallbackServerContext& context, std::int64_t bytes) {
  wait.End();
  const std::chrono::duration<double> more(static_cast<double>(bytes) / kBytesPerSecond);
  const Clock::time_point until =
      Clock::now() + patience_ + std::chrono::duration_cast<Clock::duration>(more);
  wait.of_ = this;
  const auto insert = [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    wait.it_ = waits_.emplace(until, Kept{&context, false});
  };
  if (looking_ == std::this_thread::get_id()) return insert();
  MutexLock lock(mu_);
  insert();
}

void Patience::Erase(Waits::iterator it) {
  const auto erase = [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { waits_.erase(it); };
  if (looking_ == std::this_thread::get_id()) return erase();
  MutexLock lock(mu_);
  erase();
}

// The lock is held while a call is ended, which keeps its context alive.
void Patience::Look() {
  const Clock::time_point now = Clock::now();
  MutexLock lock(mu_);
  looking_ = std::this_thread::get_id();
  for (;;) {
    // Every search begins at the front: ending a call may have taken other waits out.
    auto next = waits_.begin();
    while (next != waits_.end() && next->first <= now && next->second.ended) ++next;
    if (next == waits_.end() || next->first > now) break;
    next->second.ended = true;
    ended_.fetch_add(1, std::memory_order_relaxed);
    EndCall(*next->second.context);
  }
  looking_ = std::thread::id();
}

}  // namespace prequel
