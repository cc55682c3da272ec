#include "server/health_keeper.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/log/stderr_log.h"

namespace prequel {
namespace {

// How late a change is seen: while starting, and later.
constexpr std::chrono::milliseconds kStarting{10};
constexpr std::chrono::milliseconds kRunning{200};
constexpr std::chrono::seconds kBetweenAttempts{1};
constexpr int kPage = 1000;

}  // namespace

HealthKeeper::HealthKeeper(const Engine& engine, Store& store,
                           grpc::HealthCheckServiceInterface& health)
    : engine_(engine), store_(store), health_(health) {
  Set(false);
  thread_ = std::thread([this] { Loop(); });
}

HealthKeeper::~HealthKeeper() { Stop(); }

void HealthKeeper::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  if (thread_.joinable()) thread_.join();
  Set(false);
}

void HealthKeeper::Set(bool serving) {
  serving_.store(serving, std::memory_order_relaxed);
  health_.SetServingStatus(serving);
  for (const char* service : {"prequel.v1.ModelService", "prequel.v1.LearningService"}) {
    health_.SetServingStatus(service, serving);
  }
}

void HealthKeeper::Loop() {
  do {
    if (!engine_.ready()) continue;
    if (!replayed_) LogReplay();
    replayed_ = true;
    const bool accepts = StoreAccepts();
    if (accepts != serving()) Set(accepts);
  } while (Pause());
}

bool HealthKeeper::StoreAccepts() {
  absl::Status status = store_.health();
  const auto now = std::chrono::steady_clock::now();
  if (!status.ok() && !refusal_.empty()) {
    if (now < next_attempt_) return false;
    next_attempt_ = now + kBetweenAttempts;
    status = store_.Recover();
  }
  const std::string refusal = status.ok() ? "" : std::string(WritesRefused(status).message());
  if (refusal != refusal_) {
    if (status.ok()) {
      LogLine(Severity::kInfo, "the store accepts writes again");
    } else {
      LogLine(Severity::kError, refusal);
    }
    refusal_ = refusal;
  }
  return status.ok();
}

// False when stopping.
bool HealthKeeper::Pause() {
  MutexLock lock(mu_);
  const auto until = std::chrono::steady_clock::now() + (replayed_ ? kRunning : kStarting);
  while (!stopping_ && wake_.WaitUntil(mu_, until)) {
  }
  return !stopping_;
}

void HealthKeeper::LogReplay() const {
  int models = 0, broken = 0;
  std::string after;
  for (;;) {
    const std::vector<ModelInfo> page = engine_.ListModels(after, kPage);
    for (const ModelInfo& info : page) {
      ++models;
      if (info.problem.ok()) continue;
      ++broken;
      LogLine(Severity::kError, absl::StrCat("models/", info.name, " does not serve: ",
                                             std::string(info.problem.message())));
    }
    if (page.size() < kPage) break;
    after = page.back().name;
  }
  LogLine(Severity::kInfo, absl::StrCat("serving ", models - broken, " of ", models, " models"));
}

}  // namespace prequel
