#include "tests/accept/chaos/turnstile.h"

namespace prequel::accept {

using std::chrono::system_clock;

bool Turnstile::Pass() {
  MutexLock lock(mu_);
  ++waiting_;
  changed_.NotifyAll();
  while (!open_ && !ended_) changed_.Wait(mu_);
  --waiting_;
  return !ended_;
}

bool Turnstile::IsOpen() const {
  MutexLock lock(mu_);
  return open_ && !ended_;
}

bool Turnstile::IsEnded() const {
  MutexLock lock(mu_);
  return ended_;
}

bool Turnstile::StaysOpen(std::chrono::milliseconds time) {
  const auto until = system_clock::now() + time;
  MutexLock lock(mu_);
  while (open_ && !ended_) {
    if (!changed_.WaitUntil(mu_, until)) return open_ && !ended_;
  }
  return false;
}

bool Turnstile::Close(std::chrono::seconds longest) {
  const auto until = system_clock::now() + longest;
  MutexLock lock(mu_);
  open_ = false;
  changed_.NotifyAll();
  while (waiting_ < threads_) {
    if (!changed_.WaitUntil(mu_, until)) return waiting_ == threads_;
  }
  return true;
}

void Turnstile::Open() {
  MutexLock lock(mu_);
  open_ = true;
  changed_.NotifyAll();
}

void Turnstile::End() {
  MutexLock lock(mu_);
  ended_ = true;
  changed_.NotifyAll();
}

}  // namespace prequel::accept
