// Encoders of targets, and batches for them.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encoding/target_encoder.h"
#include "gtest/gtest.h"

namespace prequel {

using Labels = std::vector<std::string>;
using Rows = std::vector<Index>;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline std::string_view AnyValue(double) { return ""; }
inline std::string_view Count(double y) { return y >= 0 ? "" : "a count: 0, 1, 2, …"; }

inline TargetEncoder Values(Index width = 1, Standardize standardize = Standardize::kRunning,
                            bool allow_missing = false) {
  const TargetConfig config{.width = width, .allow_missing = allow_missing};
  return *TargetEncoder::Create(config, false, width, standardize);
}

inline TargetEncoder Classes(const TargetConfig& config) {
  absl::StatusOr<TargetEncoder> encoder =
      TargetEncoder::Create(config, true, 1, Standardize::kNone);
  EXPECT_TRUE(encoder.ok()) << encoder.status();
  return *std::move(encoder);
}

// One input column and one row of targets per output.
inline Batch WithTargets(const std::vector<std::vector<double>>& outputs) {
  Batch batch;
  const Index rows = static_cast<Index>(outputs[0].size());
  batch.inputs.setZero(1, rows);
  batch.targets.resize(static_cast<Index>(outputs.size()), rows);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < outputs[i].size(); ++j) {
      batch.targets(static_cast<Index>(i), static_cast<Index>(j)) = outputs[i][j];
    }
  }
  return batch;
}

inline Batch WithLabels(const Labels& labels) {
  Batch batch;
  batch.inputs.setZero(1, static_cast<Index>(labels.size()));
  batch.labels = labels;
  return batch;
}

// What is kept and what refused of a batch that is well formed, once `state` has met it.
struct Selection {
  Rows kept = {99};
  RefusedRows refused;
};

inline Selection Select(const TargetEncoder& encoder, const Batch& batch, TargetState& state) {
  EXPECT_TRUE(encoder.Check(batch, AnyValue).ok()) << encoder.Check(batch, AnyValue);
  encoder.Meet(batch, state);
  Selection selection;
  encoder.Select(state, batch, selection.kept, selection.refused);
  return selection;
}

inline Selection Select(const TargetEncoder& encoder, const Batch& batch) {
  TargetState state = encoder.Initial();
  return Select(encoder, batch, state);
}

// Absorbs the batch, of which no row is refused, takes its moments as units and encodes it.
inline Matrix Learn(const TargetEncoder& encoder, const Batch& batch, TargetState& state) {
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_EQ(refused.count, 0);
  encoder.Absorb(batch, kept, state);
  UnitsChange change;
  encoder.MoveUnits(0, UnknownScale::kAsNew, state, change);
  Matrix out;
  encoder.Encode(state, batch, kept, out);
  return out;
}

}  // namespace prequel
