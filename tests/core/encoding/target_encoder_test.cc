#include "core/encoding/target_encoder.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>

#include "core/config/field_error.h"
#include "gtest/gtest.h"
#include "tests/core/encoding/target_batches.h"

namespace prequel::target_encoder_test {
namespace {

TEST(TargetEncoder, StandardisesValuesByWhatItHasSeen) {
  const TargetEncoder encoder = Values(2);
  TargetState state = encoder.Initial();
  EXPECT_FALSE(encoder.HasScale(state));
  const Matrix out = Learn(encoder, WithTargets({{1, 3, 5}, {7, 7, 7}}), state);
  EXPECT_TRUE(encoder.HasScale(state));
  Vector location, scale;
  encoder.Location(state, location);
  encoder.Scale(state, scale);
  EXPECT_EQ(location, Eigen::Vector2d(3, 7));
  EXPECT_EQ(scale, Eigen::Vector2d(2, 1));
  Matrix expected(2, 3);
  expected << -1, 0, 1, 0, 0, 0;
  EXPECT_EQ(out, expected);
}

TEST(TargetEncoder, RawValuesHaveTheUnitOfTheTargets) {
  const TargetEncoder encoder = Values(1, Standardize::kNone);
  TargetState state = encoder.Initial();
  EXPECT_TRUE(encoder.HasScale(state));
  EXPECT_EQ(Learn(encoder, WithTargets({{4, 6}}), state), Eigen::RowVector2d(4, 6));
  Vector location, scale;
  encoder.Location(state, location);
  encoder.Scale(state, scale);
  EXPECT_EQ(location, Vector::Zero(1));
  EXPECT_EQ(scale, Vector::Ones(1));
}

TEST(TargetEncoder, OneTargetGivesALocationAndNoScale) {
  const TargetEncoder encoder = Values();
  TargetState state = encoder.Initial();
  Learn(encoder, WithTargets({{1000}}), state);
  EXPECT_FALSE(encoder.HasScale(state));
  Learn(encoder, WithTargets({{1002}}), state);
  EXPECT_TRUE(encoder.HasScale(state));
}

TEST(TargetEncoder, RowsWithAnUnknownTargetAreSkipped) {
  const TargetEncoder encoder = Values(2, Standardize::kRunning, true);
  TargetState state = encoder.Initial();
  const Batch batch = WithTargets({{1, kNaN, 3, 5}, {2, 4, kNaN, 8}});
  EXPECT_EQ(Select(encoder, batch).kept, (Rows{0, 3}));
  const Matrix out = Learn(encoder, batch, state);
  EXPECT_EQ(out.cols(), 2);
  EXPECT_EQ(state.moments.count, Vector::Constant(2, 2));
  EXPECT_EQ(state.moments.mean, Eigen::Vector2d(3, 5));
  const Labels labels = {"a", "", "b"};
  EXPECT_EQ(Select(Classes({.num_classes = 2, .allow_missing = true}), WithLabels(labels)).kept,
            (Rows{0, 2}));
}

struct Bad {
  TargetEncoder encoder;
  Batch batch;
  std::string message;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.message; }

class BadTarget : public testing::TestWithParam<Bad> {};

TEST_P(BadTarget, IsNamedAndExplained) {
  const absl::Status status = GetParam().encoder.Check(GetParam().batch, Count);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), GetParam().message);
  EXPECT_TRUE(FieldOf(status).has_value());
}

Batch WithBoth() {
  Batch batch = WithTargets({{1, 2}});
  batch.labels = {"a", "b"};
  return batch;
}

Batch WithRows(Index rows, Batch batch) {
  batch.inputs.setZero(1, rows);
  return batch;
}

INSTANTIATE_TEST_SUITE_P(
    TargetEncoder, BadTarget,
    testing::Values(
        Bad{Values(), WithLabels({}), "batch.targets: must be given"},
        Bad{Classes({.num_classes = 2}), WithLabels({}), "batch.targets: must be given, or labels"},
        Bad{Classes({.num_classes = 3}), WithBoth(),
            "batch.labels: must not be given next to targets"},
        Bad{Values(), WithLabels({"a"}),
            "batch.labels: are for classification: this model learns values, in targets"},
        Bad{Values(2), WithTargets({{1, 2}}),
            "batch.targets: must be 2 × 2 (one row per row of inputs), got 2 × 1"},
        Bad{Values(), WithRows(3, WithTargets({{1, 2}})),
            "batch.targets: must be 3 × 1 (one row per row of inputs), got 2 × 1"},
        Bad{Classes({.num_classes = 2}), WithRows(3, WithLabels({"a"})),
            "batch.labels: must be 3, one per row of inputs, got 1"},
        Bad{Values(2), WithTargets({{1, 2}, {3, HUGE_VAL}}),
            "batch.targets[1,1]: must be finite and at most 1e100 in magnitude, got inf"},
        Bad{Values(), WithTargets({{kNaN}}),
            "batch.targets[0,0]: must be a number: the target does not allow missing values"},
        Bad{Values(), WithTargets({{3, -1}}),
            "batch.targets[1,0]: must be a count: 0, 1, 2, …, got -1"},
        Bad{Classes({.num_classes = 10}), WithTargets({{1, HUGE_VAL}}),
            "batch.targets[1,0]: must be finite, got inf"},
        Bad{Classes({.num_classes = 10}), WithTargets({{kNaN}}),
            "batch.targets[0,0]: must be a class: the target does not allow missing values"},
        Bad{Classes({.num_classes = 2}), WithLabels({""}),
            "batch.labels[0]: must not be empty: the target does not allow missing values"},
        Bad{Classes({.num_classes = 2}), WithLabels({std::string(1025, 'x')}),
            "batch.labels[0]: must have at most 1024 bytes, got 1025: \"" + std::string(40, 'x') +
                "…\""}));

struct BadConfig {
  TargetConfig config;
  bool classes;
  std::string field;
};

void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.field; }

class BadTargetConfig : public testing::TestWithParam<BadConfig> {};

TEST_P(BadTargetConfig, IsNamed) {
  const BadConfig& bad = GetParam();
  const absl::StatusOr<TargetEncoder> encoder =
      TargetEncoder::Create(bad.config, bad.classes, bad.config.width, Standardize::kRunning);
  ASSERT_EQ(encoder.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(encoder.status()), bad.field);
}

INSTANTIATE_TEST_SUITE_P(
    TargetEncoder, BadTargetConfig,
    testing::Values(
        BadConfig{{}, true, "config.target.num_classes"},
        BadConfig{{.num_classes = 1}, true, "config.target.num_classes"},
        BadConfig{{.num_classes = 1 << 20}, true, "config.target.num_classes"},
        BadConfig{{.labels = {"a", "b"}, .num_classes = 3}, true, "config.target.num_classes"},
        BadConfig{{.labels = {"a"}}, true, "config.target.labels"},
        BadConfig{{.labels = {"a", "b", "a"}}, true, "config.target.labels[2]"},
        BadConfig{{.labels = {"a", ""}}, true, "config.target.labels[1]"},
        BadConfig{{.labels = {std::string(1025, 'x'), "a"}}, true, "config.target.labels[0]"},
        BadConfig{{.num_classes = 2, .width = 2}, true, "config.target.width"},
        BadConfig{{.labels = {"a", "b"}}, false, "config.target.labels"},
        BadConfig{{.num_classes = 2}, false, "config.target.num_classes"},
        BadConfig{{.width = 0}, false, "config.target.width"},
        BadConfig{{.width = 1 << 20}, false, "config.target.width"}));

TEST(TargetEncoder, ChecksStates) {
  const TargetEncoder values = Values(2), classes = Classes({.num_classes = 2});
  EXPECT_TRUE(values.CheckState(values.Initial()).ok());
  EXPECT_TRUE(classes.CheckState(classes.Initial()).ok());
  EXPECT_FALSE(values.CheckState(classes.Initial()).ok());
  TargetState state = classes.Initial();
  state.labels = std::make_shared<const CategoryTable>(*CategoryTable::FromValues({"a", "b", "c"}));
  EXPECT_EQ(classes.CheckState(state).code(), absl::StatusCode::kDataLoss);
  state.labels = std::make_shared<const CategoryTable>(*CategoryTable::FromValues({"a"}));
  EXPECT_TRUE(classes.CheckState(state).ok());
  state.integers = true;
  EXPECT_FALSE(classes.CheckState(state).ok());
}

}  // namespace
}  // namespace prequel::target_encoder_test
