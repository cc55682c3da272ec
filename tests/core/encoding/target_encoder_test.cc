#include "core/encoding/target_encoder.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>

#include "core/config/error.h"
#include "gtest/gtest.h"

namespace prequel {
namespace {

using Labels = std::vector<std::string>;
using Rows = std::vector<Index>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string_view AnyValue(double) { return ""; }
std::string_view Count(double y) { return y >= 0 ? "" : "a count: 0, 1, 2, …"; }

TargetEncoder Values(Index width = 1, Standardize standardize = Standardize::kRunning,
                     bool allow_missing = false) {
  const TargetConfig config{.width = width, .allow_missing = allow_missing};
  return *TargetEncoder::Create(config, false, width, standardize);
}

TargetEncoder Classes(const TargetConfig& config) {
  absl::StatusOr<TargetEncoder> encoder =
      TargetEncoder::Create(config, true, 1, Standardize::kNone);
  EXPECT_TRUE(encoder.ok()) << encoder.status();
  return *std::move(encoder);
}

// One input column and one row of targets per output.
Batch WithTargets(const std::vector<std::vector<double>>& outputs) {
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

Batch WithLabels(const Labels& labels) {
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

Selection Select(const TargetEncoder& encoder, const Batch& batch, TargetState& state) {
  EXPECT_TRUE(encoder.Check(batch, AnyValue).ok()) << encoder.Check(batch, AnyValue);
  EXPECT_TRUE(encoder.Meet(batch, state).ok()) << encoder.Meet(batch, state);
  Selection selection;
  encoder.Select(state, batch, selection.kept, selection.refused);
  return selection;
}

Selection Select(const TargetEncoder& encoder, const Batch& batch) {
  TargetState state = encoder.Initial();
  return Select(encoder, batch, state);
}

// Absorbs the batch, of which no row is refused, and encodes it.
Matrix Learn(const TargetEncoder& encoder, const Batch& batch, TargetState& state) {
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_EQ(refused.count, 0);
  encoder.Absorb(batch, kept, state);
  Matrix out;
  encoder.Encode(state, batch, kept, out);
  return out;
}

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

TEST(TargetEncoder, IntegersAreClassesThemselves) {
  const TargetEncoder encoder = Classes({.num_classes = 10});
  TargetState state = encoder.Initial();
  EXPECT_TRUE(encoder.Labels(state).empty());
  EXPECT_EQ(Learn(encoder, WithTargets({{9, 0, 3}}), state), Eigen::RowVector3d(9, 0, 3));
  EXPECT_EQ(encoder.Labels(state).size(), 10U);
  EXPECT_EQ(encoder.Labels(state)[9], "9");
  EXPECT_TRUE(encoder.HasScale(state));
}

TEST(TargetEncoder, TextTakesTheNextFreeClass) {
  const TargetEncoder encoder = Classes({.num_classes = 3, .allow_missing = true});
  TargetState state = encoder.Initial();
  EXPECT_EQ(Learn(encoder, WithLabels({"dog", "", "cat", "dog"}), state),
            Eigen::RowVector3d(0, 1, 0));
  EXPECT_EQ(encoder.Labels(state), (Labels{"dog", "cat"}));
  Learn(encoder, WithLabels({"7"}), state);
  const auto [kept, refused] = Select(encoder, WithLabels({"cat", "cow", "", "7"}), state);
  EXPECT_EQ(kept, (Rows{0, 3}));
  ASSERT_EQ(refused.count, 1);
  EXPECT_EQ(refused.first[0].row, 1);
  EXPECT_EQ(refused.first[0].label, "\"cow\"");
  EXPECT_EQ(refused.first[0].reason, "the model has 3 classes and knows \"dog\", \"cat\", \"7\"");
}

// The same minibatch brings the last label there is room for, and two more.
TEST(TargetEncoder, NewLabelsTakeWhatRoomThereIs) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  const Batch batch = WithLabels({"c", "a", "b", "c", "d", "b"});
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_EQ(kept, (Rows{0, 1, 3}));
  EXPECT_EQ(refused.count, 3);
  EXPECT_EQ(refused.first[0].label, "\"b\"");
  EXPECT_EQ(refused.first[1].label, "\"d\"");
  encoder.Absorb(batch, kept, state);
  EXPECT_EQ(encoder.Labels(state), (Labels{"c", "a"}));
}

// However many rows are refused, and whatever their labels are.
TEST(TargetEncoder, TenRefusedRowsAreNamedInFewBytes) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  constexpr std::size_t kRows = 1'000'000;
  Labels labels(kRows, "x");
  labels[0] = std::string(1024, '\1');
  labels[1] = "b";
  for (std::size_t i = 2; i < 20; ++i) labels[i] = std::string(1000 + i, '\xff');
  const auto [kept, refused] = Select(encoder, WithLabels(labels), state);
  EXPECT_EQ(kept, (Rows{0, 1}));
  EXPECT_EQ(refused.count, kRows - 2);
  ASSERT_EQ(refused.first.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(refused.first[i].row, static_cast<Index>(i + 2));
    EXPECT_LE(refused.first[i].label.size(), 200U);
    EXPECT_LE(refused.first[i].reason.size(), 300U);
  }
}

TEST(TargetEncoder, AReasonListsTenLabelsAtMost) {
  Labels many;
  for (int i = 0; i < 1000; ++i) many.push_back("class " + std::to_string(i));
  const RefusedRows refused = Select(Classes({.labels = many}), WithLabels({"class 1000"})).refused;
  ASSERT_EQ(refused.count, 1);
  EXPECT_EQ(refused.first[0].reason.substr(0, 40), "classes are \"class 0\", \"class 1\", \"class");
  EXPECT_NE(refused.first[0].reason.find("\"class 9\", and 990 more"), std::string::npos);
}

// Numbers that were refused do not decide what classes are called.
TEST(TargetEncoder, NothingIsLearnedOfRowsThatAreAllRefused) {
  const TargetEncoder encoder = Classes({.num_classes = 2});
  TargetState state = encoder.Initial();
  const Batch batch = WithTargets({{2, 0.5}});
  const auto [kept, refused] = Select(encoder, batch, state);
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(refused.count, 2);
  encoder.Absorb(batch, kept, state);
  EXPECT_TRUE(encoder.Labels(state).empty());
  EXPECT_EQ(Learn(encoder, WithLabels({"a"}), state), Matrix::Zero(1, 1));
}

struct NoClass {
  TargetConfig config;
  Batch batch;  // row 1 is refused, row 0 kept
  std::string label, reason;
};

void PrintTo(const NoClass& no_class, std::ostream* out) { *out << no_class.label; }

class LabelThatIsNoClass : public testing::TestWithParam<NoClass> {};

TEST_P(LabelThatIsNoClass, RefusesItsRowAlone) {
  const auto [kept, refused] = Select(Classes(GetParam().config), GetParam().batch);
  EXPECT_EQ(kept, Rows{0});
  ASSERT_EQ(refused.count, 1);
  ASSERT_EQ(refused.first.size(), 1U);
  EXPECT_EQ(refused.first[0].row, 1);
  EXPECT_EQ(refused.first[0].label, GetParam().label);
  EXPECT_EQ(refused.first[0].reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    TargetEncoder, LabelThatIsNoClass,
    testing::Values(
        NoClass{{.num_classes = 10}, WithTargets({{1, 12}}), "12", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{1, 10}}), "10", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{0, -1}}), "-1", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{9, 12345678}}), "12345678", "classes are 0..9"},
        NoClass{{.num_classes = 10}, WithTargets({{9, 1e300}}), "1e+300", "classes are 0..9"},
        NoClass{{.num_classes = 10},
                WithTargets({{1, 1.5}}),
                "1.5",
                "not a whole number: classes are 0..9"},
        NoClass{{.labels = {"0", "dog"}}, WithTargets({{0, 1}}), "1", "classes are \"0\", \"dog\""},
        NoClass{{.labels = {"cat", "dog"}},
                WithLabels({"cat", "cow"}),
                "\"cow\"",
                "classes are \"cat\", \"dog\""}));

TEST(TargetEncoder, IntegersAndLearnedTextDoNotMix) {
  const TargetEncoder encoder = Classes({.num_classes = 3});
  TargetState text = encoder.Initial(), integers = encoder.Initial();
  Learn(encoder, WithLabels({"dog"}), text);
  Learn(encoder, WithTargets({{2}}), integers);
  EXPECT_EQ(FieldOf(encoder.Meet(WithTargets({{0}}), text)), "batch.targets");
  EXPECT_EQ(FieldOf(encoder.Meet(WithTargets({{7}}), text)), "batch.targets");
  EXPECT_EQ(FieldOf(encoder.Meet(WithLabels({"dog"}), integers)), "batch.labels");
}

TEST(TargetEncoder, ConfiguredLabelsAreMetByTextAndByInteger) {
  const TargetEncoder encoder = Classes({.labels = {"5", "-1", "007", "none"}});
  TargetState state = encoder.Initial();
  EXPECT_EQ(encoder.num_classes(), 4);
  EXPECT_EQ(Learn(encoder, WithTargets({{-1, 5}}), state), Eigen::RowVector2d(1, 0));
  EXPECT_EQ(Learn(encoder, WithLabels({"007", "none", "5"}), state), Eigen::RowVector3d(2, 3, 0));
  EXPECT_EQ(encoder.Labels(state), (Labels{"5", "-1", "007", "none"}));
  EXPECT_EQ(Select(encoder, WithTargets({{5, 7}})).kept, Rows{0}) << "\"007\" is not 7";
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
}  // namespace prequel
