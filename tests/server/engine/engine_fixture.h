// An engine over a disk in memory, and small linear models to learn.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/engine.h"
#include "tests/server/engine/fake_world.h"
#include "tests/server/storage/memory_store.h"

namespace prequel {

// Holds up the disk's writes while it is closed, all or the first ones that come.
class Gate {
 public:
  explicit Gate(MemoryDisk& disk) {
    disk.OnWrite([this] {
      MutexLock lock(mu_);
      const int number = ++arrived_;
      changed_.NotifyAll();
      while (closed_ && number <= most_) changed_.Wait(mu_);
    });
  }
  void Close(int most = std::numeric_limits<int>::max()) {
    MutexLock lock(mu_);
    closed_ = true;
    most_ = most;
    arrived_ = 0;
  }
  void Open() {
    MutexLock lock(mu_);
    closed_ = false;
    changed_.NotifyAll();
  }
  void AwaitArrival() {
    MutexLock lock(mu_);
    while (arrived_ == 0) changed_.Wait(mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  int most_ ABSL_GUARDED_BY(mu_) = 0;
  int arrived_ ABSL_GUARDED_BY(mu_) = 0;  // since it was closed
};

using Outcome = absl::StatusOr<LearnOutcome>;

class EngineFixture : public ::testing::Test {
 protected:
  EngineFixture() { options_.workers = 2; }
  ~EngineFixture() override {
    engine_.reset();
    if (store_ != nullptr) disk_->OnWrite(nullptr);
  }

  void Start() {
    Stop();
    auto store = MemoryStore::Open(disk_, store_options_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    auto engine = Engine::Create(options_, Parts());
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
    engine_->AwaitReady();
  }

  Engine::Parts Parts() { return {*store_, *store_, *store_, codec_, clock_, {observer_}}; }

  void Stop() {
    engine_.reset();
    store_.reset();
  }

  absl::Status Create(const std::string& name, int inputs = 2) {
    return engine_->CreateModel(name, LinearConfig(inputs)).status();
  }

  static Delivery Request(Batch batch) {
    std::string payload = TestCodec::Encode(batch);
    return {.record = Minibatch{std::move(batch), std::move(payload)}};
  }

  void Submit(const std::string& name, Delivery delivery, LearnCallback done) {
    delivery.done = std::move(done);
    engine_->Submit(name, std::move(delivery));
  }
  // To a model by its name, or by a question to it that is answered as well.
  template <class Model>
  std::future<Outcome> Submit(const Model& model, Delivery delivery) {
    std::promise<Outcome> promise;
    std::future<Outcome> future = promise.get_future();
    delivery.done = [promise = std::move(promise)](Outcome outcome) mutable {
      promise.set_value(std::move(outcome));
    };
    engine_->Submit(model, std::move(delivery));
    return future;
  }

  absl::StatusOr<PredictOutcome> Predict(const std::string& name, const Batch& batch,
                                         std::optional<std::int64_t> revision = std::nullopt,
                                         const StillWanted& wanted = {},
                                         const StillWanted& proceed = {}) {
    const absl::StatusOr<Question> question =
        engine_->Ask(name, PredictOptions(), {.count = batch.rows()});
    if (!question.ok()) return question.status();
    return engine_->Answer(*question, batch, revision, wanted, proceed);
  }

  Outcome Learn(const std::string& name, Batch batch) {
    return Submit(name, Request(std::move(batch))).get();
  }

  StoredModel Stored(const std::string& name) {
    const std::vector<StoredModel> models = store_->ListModels().value();
    for (const StoredModel& model : models) {
      if (model.name == name) return model;
    }
    ADD_FAILURE() << "no model " << name;
    return {};
  }
  std::size_t Records(const std::string& name) { return disk_->records(Stored(name).log); }

  // The number that a producer of `name` is to go on with; -1 for an error.
  std::int64_t Next(const std::string& name, const std::string& producer) {
    return AskNext(name, producer).get().value_or(-1);
  }
  std::future<absl::StatusOr<std::int64_t>> AskNext(const std::string& name,
                                                    const std::string& producer) {
    std::promise<absl::StatusOr<std::int64_t>> promise;
    std::future<absl::StatusOr<std::int64_t>> future = promise.get_future();
    engine_->AskNextSequence(
        name, producer, TimePoint::max(),
        [promise = std::move(promise)](const absl::StatusOr<std::int64_t>& next) mutable {
          promise.set_value(next);
        });
    return future;
  }

  // The published state as bytes.
  std::string StateBytes(const std::string& name) {
    const absl::StatusOr<Published> published = engine_->GetPublished(name);
    const absl::StatusOr<ModelInfo> info = engine_->GetModel(name);
    if (!published.ok() || !info.ok()) return published.status().ToString();
    return info->learner->EncodeState(*published->state);
  }

  std::int64_t Revision(const std::string& name) {
    const absl::StatusOr<Published> published = engine_->GetPublished(name);
    return published.ok() ? published->revision : -1;
  }

  EngineOptions options_;
  MemoryStore::Options store_options_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
  TestCodec codec_;
  ManualClock clock_;
  EngineObserver silent_;
  EngineObserver* observer_ = &silent_;
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace prequel
