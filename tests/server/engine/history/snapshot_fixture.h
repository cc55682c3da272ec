// An engine whose snapshots are taken by hand, and what it tells of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel {

// What an engine tells of its snapshots.
class SnapshotObserver : public EngineObserver {
 public:
  void OnSnapshot(std::string_view, std::uint64_t, Duration, const absl::Status& status) override {
    MutexLock lock(mu_);
    ++(status.ok() ? taken_ : failed_);
    changed_.NotifyAll();
  }
  void OnSnapshotLost(std::string_view model, const absl::Status& status) override {
    MutexLock lock(mu_);
    lost_.push_back(std::string(model) + ": " + status.ToString());
  }
  void OnReplayProgress(std::string_view, std::uint64_t records) override {
    MutexLock lock(mu_);
    replayed_ = records;
  }
  int taken() {
    MutexLock lock(mu_);
    return taken_;
  }
  bool AwaitTaken(int count) {
    const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(60);
    MutexLock lock(mu_);
    while (taken_ < count) {
      if (!changed_.WaitUntil(mu_, deadline)) return false;
    }
    return true;
  }
  int failed() {
    MutexLock lock(mu_);
    return failed_;
  }
  std::vector<std::string> lost() {
    MutexLock lock(mu_);
    return std::exchange(lost_, {});
  }

 private:
  Mutex mu_;
  CondVar changed_;
  int taken_ ABSL_GUARDED_BY(mu_) = 0;
  int failed_ ABSL_GUARDED_BY(mu_) = 0;
  std::uint64_t replayed_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<std::string> lost_ ABSL_GUARDED_BY(mu_);
};

class SnapshotTest : public EngineFixture {
 protected:
  SnapshotTest() {
    observer_ = &snapshots_;
    options_.snapshots.every_batches = 0;
    options_.snapshots.every_bytes = 0;
    options_.snapshots.build = "test build";
  }

  absl::StatusOr<StoredSnapshot> Take(const std::string& name) {
    std::promise<absl::StatusOr<StoredSnapshot>> promise;
    engine_->CreateSnapshot(name, [&promise](const absl::StatusOr<StoredSnapshot>& stored) {
      promise.set_value(stored);
    });
    return promise.get_future().get();
  }

  void LearnMany(const std::string& name, int from, int to, const std::string& producer = "") {
    std::vector<std::future<Outcome>> answers;
    for (int i = from; i < to; ++i) {
      Delivery request = Request(i % 11 == 3 ? MakeDivergentBatch() : MakeBatch(i));
      if (!producer.empty()) request.origin = {producer, i + 1};
      answers.push_back(Submit(name, std::move(request)));
    }
    for (auto& answer : answers) (void)answer.get();
  }

  std::vector<std::uint64_t> Offsets(const std::string& name) { return OffsetsOf(Stored(name).id); }
  std::vector<std::uint64_t> OffsetsOf(ModelId model) {
    std::vector<std::uint64_t> offsets;
    const std::vector<StoredSnapshot> snapshots = store_->ListSnapshots(model).value();
    for (const StoredSnapshot& stored : snapshots) {
      offsets.push_back(stored.next_offset);
    }
    return offsets;
  }

  // What a store without any snapshot would hold.
  std::string Uninterrupted(int batches) {
    EngineFixture::disk_ = std::make_shared<MemoryDisk>();
    Start();
    EXPECT_TRUE(Create("a").ok());
    LearnMany("a", 0, batches, "p");
    return StateBytes("a");
  }

  SnapshotObserver snapshots_;
};

}  // namespace prequel
