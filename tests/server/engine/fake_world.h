// Small linear models to learn, the bytes they are stored as, and a clock set by hand.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "core/learner/learner.h"
#include "server/engine/clock.h"
#include "server/engine/codec.h"

namespace prequel {

inline LearnerConfig LinearConfig(int inputs) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.target.name = "y";
  config.model.name = "linear";
  config.likelihood.name = "gaussian";
  // So that a minibatch can be too extreme: log p = −½ r²/noise + … overflows for r = 1e100,
  // whatever the rounding, and nothing overflows for r = 1.
  config.likelihood.options["noise"] = 1e-120;
  config.posterior.name = "diagonal";
  config.dynamics.name = "static";
  config.standardize_inputs = Standardize::kNone;
  config.seed = 7;
  return config;
}

// Of the models of LinearConfig.
inline QuerySet Queries(std::vector<ComponentConfig> queries = {}) {
  const Learner learner = Learner::Create(LinearConfig(1)).value();
  return learner.Ask({.queries = std::move(queries)}).value();
}

// Rows × inputs that follow from `seed` alone.
inline Batch MakeBatch(int seed, Index inputs = 2, Index rows = 8) {
  Batch batch;
  batch.inputs.resize(inputs, rows);
  batch.targets.resize(1, rows);
  for (Index row = 0; row < rows; ++row) {
    double sum = 0.3;
    for (Index i = 0; i < inputs; ++i) {
      const double x = std::sin(static_cast<double>(1 + 31 * seed + 7 * row + 3 * i));
      batch.inputs(i, row) = x;
      sum += x * static_cast<double>(i + 1);
    }
    batch.targets(0, row) = sum + 0.1 * std::cos(static_cast<double>(seed + 5 * row));
  }
  return batch;
}

// Passes CheckBatch, but its log-likelihood overflows.
inline Batch MakeDivergentBatch(Index inputs = 2) {
  Batch batch = MakeBatch(1, inputs);
  batch.inputs.setConstant(1e100);
  return batch;
}

// A configuration is written as its place in a list that all codecs of the process share.
class TestCodec final : public Codec {
 public:
  static std::string Encode(const Batch& batch) {
    const std::int64_t shape[2] = {batch.inputs.rows(), batch.inputs.cols()};
    std::string bytes(reinterpret_cast<const char*>(shape), sizeof(shape));
    for (const Matrix* matrix : {&batch.inputs, &batch.targets}) {
      bytes.append(reinterpret_cast<const char*>(matrix->data()),
                   static_cast<std::size_t>(matrix->size()) * sizeof(double));
    }
    return bytes;
  }

  absl::StatusOr<LearnerConfig> DecodeConfig(std::string_view bytes) const override {
    const std::lock_guard<std::mutex> lock(Known().mu);
    std::size_t place = 0;
    if (!absl::SimpleAtoi(std::string(bytes), &place) || place >= Known().configs.size()) {
      return absl::InvalidArgumentError("not a configuration");
    }
    return Known().configs[place];
  }

  std::string EncodeConfig(const LearnerConfig& config) const override {
    const std::lock_guard<std::mutex> lock(Known().mu);
    std::vector<LearnerConfig>& configs = Known().configs;
    const auto place = std::find(configs.begin(), configs.end(), config) - configs.begin();
    if (place == std::ssize(configs)) configs.push_back(config);
    return std::to_string(place);
  }

  absl::StatusOr<Batch> DecodeBatch(std::string_view bytes) const override {
    std::int64_t shape[2];
    if (bytes.size() < sizeof(shape)) return absl::InvalidArgumentError("not a batch");
    std::memcpy(shape, bytes.data(), sizeof(shape));
    const auto values = static_cast<std::int64_t>((bytes.size() - sizeof(shape)) / sizeof(double));
    if (shape[0] < 0 || shape[0] > values || shape[1] < 0 || shape[1] > values ||
        (shape[0] + 1) * shape[1] != values) {
      return absl::InvalidArgumentError("not a batch");
    }
    Batch batch;
    batch.inputs.resize(shape[0], shape[1]);
    batch.targets.resize(1, shape[1]);
    const std::size_t inputs = static_cast<std::size_t>(batch.inputs.size()) * sizeof(double);
    std::memcpy(batch.inputs.data(), bytes.data() + sizeof(shape), inputs);
    std::memcpy(batch.targets.data(), bytes.data() + sizeof(shape) + inputs,
                static_cast<std::size_t>(shape[1]) * sizeof(double));
    return batch;
  }

 private:
  struct Configs {
    std::mutex mu;
    std::vector<LearnerConfig> configs;
  };
  static Configs& Known() {
    static Configs& known = *new Configs();
    return known;
  }
};

class ManualClock final : public Clock {
 public:
  TimePoint Now() const override { return TimePoint(std::chrono::seconds(now_.load())); }
  void Advance(int seconds) { now_ += seconds; }
  TimePoint In(int seconds) const { return Now() + std::chrono::seconds(seconds); }

 private:
  std::atomic<int> now_ = 1'000'000;
};

}  // namespace prequel
