#include "server/engine/history/snapshotter.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

absl::Status Stopped() { return absl::UnavailableError("the server is shutting down"); }

absl::Status Deleted(const std::string& model) {
  return absl::NotFoundError(absl::StrCat("model ", model, " was deleted"));
}

}  // namespace

Snapshotter::Snapshotter(SnapshotStore& store, Log& log, const Clock& clock,
                         const EngineObservers& observers, const SnapshotOptions& options)
    : store_(store),
      log_(log),
      clock_(clock),
      observers_(observers),
      options_(options),
      thread_([this] { Run(); }) {}

void Snapshotter::Enqueue(Capture capture, SnapshotCallback done) {
  absl::Status refused;
  {
    MutexLock lock(mu_);
    if (stopped_) {
      refused = Stopped();
    } else if (forbidden_.contains(capture.id)) {
      refused = Deleted(capture.model);
    } else {
      jobs_.push_back({std::move(capture), std::move(done)});
      wake_.NotifyOne();
      return;
    }
  }
  done(refused);
}

void Snapshotter::Distrust(ModelId model, std::uint64_t next_offset) {
  MutexLock lock(mu_);
  distrusted_.insert({model, next_offset});
}

void Snapshotter::Forbid(ModelId model) {
  std::vector<Job> refused;
  {
    MutexLock lock(mu_);
    forbidden_.insert(model);
    for (auto it = jobs_.begin(); it != jobs_.end();) {
      if (it->capture.id != model) {
        ++it;
        continue;
      }
      refused.push_back(std::move(*it));
      it = jobs_.erase(it);
    }
    while (writing_ == model) idle_.Wait(mu_);
  }
  for (Job& job : refused) job.done(Deleted(job.capture.model));
}

void Snapshotter::Allow(ModelId model) {
  MutexLock lock(mu_);
  forbidden_.erase(model);
}

void Snapshotter::Stop() {
  std::deque<Job> refused;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    refused.swap(jobs_);
  }
  wake_.NotifyOne();
  for (Job& job : refused) job.done(Stopped());
  if (thread_.joinable()) thread_.join();
}

void Snapshotter::Run() {
  while (true) {
    Job job;
    {
      MutexLock lock(mu_);
      while (!stopped_ && jobs_.empty()) wake_.Wait(mu_);
      if (stopped_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      writing_ = job.capture.id;
    }
    const absl::StatusOr<StoredSnapshot> stored = Take(job.capture);
    job.capture = {};  // gives the state back before anybody is told
    {
      MutexLock lock(mu_);
      writing_ = {};
      idle_.NotifyAll();
    }
    job.done(stored);
  }
}

absl::StatusOr<StoredSnapshot> Snapshotter::Take(const Capture& capture) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<StoredSnapshot> stored = Write(capture);
  observers_.Tell(&EngineObserver::OnSnapshot, capture.model, stored.ok() ? stored->bytes : 0,
                  std::chrono::steady_clock::now() - start, stored.status());
  return stored;
}

absl::StatusOr<std::vector<StoredSnapshot>> Snapshotter::List(ModelId model,
                                                              std::vector<std::uint64_t>* drop) {
  absl::StatusOr<std::vector<StoredSnapshot>> all = store_.ListSnapshots(model);
  if (!all.ok()) return all;
  std::vector<StoredSnapshot> trusted;
  MutexLock lock(mu_);
  for (StoredSnapshot& snapshot : *all) {
    if (snapshot.problem.ok() && !distrusted_.contains({model, snapshot.next_offset})) {
      trusted.push_back(std::move(snapshot));
    } else {
      drop->push_back(snapshot.next_offset);
    }
  }
  return trusted;
}

absl::Status Snapshotter::Pace(const Capture& capture, SteadyTime start, std::uint64_t bytes) {
  constexpr std::chrono::milliseconds kNap(10);  // soon enough to see that nobody wants it any more
  if (options_.bytes_per_second == 0) return absl::OkStatus();
  const std::chrono::duration<double> least(static_cast<double>(bytes) /
                                            static_cast<double>(options_.bytes_per_second));
  while (true) {
    const auto taken = std::chrono::steady_clock::now() - start;
    if (taken >= least) return absl::OkStatus();
    {
      MutexLock lock(mu_);
      if (stopped_) return absl::OkStatus();
      if (forbidden_.contains(capture.id)) return Deleted(capture.model);
    }
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(least - taken, kNap));
  }
}

absl::StatusOr<StoredSnapshot> Snapshotter::Write(const Capture& capture) {
  std::vector<std::uint64_t> drop;
  absl::StatusOr<std::vector<StoredSnapshot>> kept = List(capture.id, &drop);
  if (!kept.ok()) return kept.status();
  const auto now = clock_.Now().time_since_epoch();
  StoredSnapshot snapshot{
      .model = capture.id,
      .log = capture.log,
      .next_offset = capture.current.next_offset,
      .revision = capture.current.revision,
      .create_time_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count(),
      .build = options_.build};
  if (!kept->empty() && kept->back().next_offset == snapshot.next_offset) {
    Truncate(snapshot.log, *kept);  // unless a crash came between the two
    return kept->back();
  }
  const SteadyTime start = std::chrono::steady_clock::now();
  const absl::Status written = WriteCapture(capture, [&](std::string_view chunk) {
    absl::Status paced = Pace(capture, start, snapshot.bytes);
    if (!paced.ok()) return paced;
    snapshot.bytes += chunk.size();
    return store_.WriteSnapshotChunk(snapshot.model, snapshot.next_offset, snapshot.chunks++,
                                     chunk);
  });
  if (!written.ok()) return written;
  kept->push_back(snapshot);
  while (kept->size() > static_cast<std::size_t>(options_.keep)) {
    drop.push_back(kept->front().next_offset);
    kept->erase(kept->begin());
  }
  std::erase(drop, snapshot.next_offset);  // a bad one at this very offset is written over
  if (absl::Status status = store_.CommitSnapshot(snapshot, drop); !status.ok()) return status;
  Truncate(snapshot.log, *kept);
  MutexLock lock(mu_);
  distrusted_.erase({snapshot.model, snapshot.next_offset});
  return snapshot;
}

// After the commit: whatever a crash leaves undone, the log reaches back to the oldest snapshot.
// The record before that one stays: a log that was truncated is never taken for empty. Until there
// are as many snapshots as are kept, the log's beginning stands for the others.
void Snapshotter::Truncate(LogId log, const std::vector<StoredSnapshot>& kept) {
  if (options_.full_history || kept.size() < static_cast<std::size_t>(options_.keep)) return;
  const std::uint64_t oldest = kept.front().next_offset;
  const absl::StatusOr<std::uint64_t> first = log_.FirstOffset(log);
  if (!first.ok() || *first + 1 >= oldest) return;
  (void)log_.Truncate(log, oldest - 1);  // the next snapshot makes up for it
}

}  // namespace prequel
