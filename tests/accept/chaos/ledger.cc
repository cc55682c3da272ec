#include "tests/accept/chaos/ledger.h"

#include <cstddef>
#include <utility>

namespace prequel::accept {

void Ledger::Sending(int model) {
  MutexLock lock(mu_);
  ++pages_[static_cast<std::size_t>(model)].count.sent;
}

void Ledger::Acknowledged(int model, std::int64_t revision, const Entry& entry, bool repeated) {
  MutexLock lock(mu_);
  Page& page = pages_[static_cast<std::size_t>(model)];
  ++page.count.acknowledged;
  if (repeated) ++repeated_;
  if (revision <= page.taken || !page.acknowledged.emplace(revision, entry).second) ++clashes_;
}

Ledger::Count Ledger::Of(int model) const {
  MutexLock lock(mu_);
  return pages_[static_cast<std::size_t>(model)].count;
}

std::map<std::int64_t, Ledger::Entry> Ledger::Take(int model) {
  MutexLock lock(mu_);
  Page& page = pages_[static_cast<std::size_t>(model)];
  if (!page.acknowledged.empty()) page.taken = page.acknowledged.rbegin()->first;
  return std::exchange(page.acknowledged, {});
}

std::int64_t Ledger::acknowledged() const {
  MutexLock lock(mu_);
  std::int64_t sum = 0;
  for (const Page& page : pages_) sum += page.count.acknowledged;
  return sum;
}

std::int64_t Ledger::repeated() const {
  MutexLock lock(mu_);
  return repeated_;
}

std::int64_t Ledger::clashes() const {
  MutexLock lock(mu_);
  return clashes_;
}

}  // namespace prequel::accept
