// What is learned in a crash run, and the fold of it without a server.
#pragma once

#include <cstdint>
#include <string>

#include "core/learner/learner.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/config.pb.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel {

// Linear gaussian, classes by a small network, counts: in turn.
v1::ModelConfig CrashConfig(int model);
// A function of its arguments alone.
v1::Batch CrashBatch(int model, int producer, std::int64_t sequence);
v1::Batch CrashQuery();
// Everything that a query can show of the posterior.
v1::PredictOptions CrashPredictOptions();

// The model as it would be had nothing ever failed.
class PlainFold {
 public:
  explicit PlainFold(const v1::ModelConfig& config);

  void Learn(const v1::Batch& batch);

  // As the service would answer, serialized.
  std::string Predict(const v1::Batch& query);
  std::string Evaluation() const;
  // Whether an exported model file holds this very state, byte for byte.
  bool IsIn(const std::string& file) const;

 private:
  Learner learner_;
  Scratch scratch_;
  LearnerState state_, next_;
};

}  // namespace prequel
