#include "core/encoding/encoder.h"

#include <cmath>
#include <limits>
#include <ostream>
#include <utility>

#include "core/archive/stable_hash.h"
#include "core/config/field_error.h"
#include "core/random/philox.h"
#include "gtest/gtest.h"

namespace prequel::encoder_test {
namespace {

using Kind = FeatureConfig::Kind;
using Names = std::vector<std::string>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

FeatureConfig Numeric(const std::string& name, Index width = 1, bool allow_missing = false) {
  return {.name = name, .width = width, .allow_missing = allow_missing};
}
FeatureConfig Text(const std::string& name, Index max_categories) {
  return {.name = name, .kind = Kind::kCategorical, .max_categories = max_categories};
}
FeatureConfig Hashed(const std::string& name, Index buckets) {
  return {.name = name, .kind = Kind::kCategorical, .max_categories = 0, .hash_buckets = buckets};
}

Encoder Make(const std::vector<FeatureConfig>& features,
             Standardize standardize = Standardize::kRunning) {
  absl::StatusOr<Encoder> encoder = Encoder::Create(features, standardize);
  EXPECT_TRUE(encoder.ok()) << encoder.status();
  return *std::move(encoder);
}

// Absorbs the batch and takes its moments as units.
void Learn(const Encoder& encoder, const Batch& batch, EncoderState& state) {
  UnitsChange change;
  encoder.Absorb(batch, state);
  encoder.MoveUnits(0, state, change);
}

Index Encode(const Encoder& encoder, const EncoderState& state, const Batch& batch, Matrix& out) {
  InputDoubts doubts;
  return encoder.Encode(state, batch, out, doubts);
}

// age, two pixels, one of each way to treat text, a feature that may be missing.
std::vector<FeatureConfig> AllKinds() {
  return {Numeric("age"), Text("color", 2), Numeric("pixel", 2, true), Hashed("city", 3)};
}

Batch AllKindsBatch() {
  Batch batch;
  batch.inputs.resize(3, 4);
  batch.inputs << 10, 20, 30, 40,  //
      1, kNaN, 3, kNaN,            //
      5, 5, 5, 5;
  batch.text = {{"red", "", "blue", "red"}, {"Oslo", "Rome", "Oslo", ""}};
  return batch;
}

TEST(Encoder, CountsAndNamesItsColumns) {
  const Encoder encoder = Make(AllKinds());
  EXPECT_EQ(encoder.num_input_columns(), 3);
  EXPECT_EQ(encoder.num_text_columns(), 2);
  EXPECT_EQ(encoder.num_encoded(), 3 + 2 + 3 + 3);
  EncoderState state = encoder.Initial();
  const Names before = {
      "age",          "pixel[0]",     "pixel[1]",    "pixel[0] missing", "pixel[1] missing",
      "color slot 0", "color slot 1", "color other", "city bucket 0",    "city bucket 1",
      "city bucket 2"};
  EXPECT_EQ(encoder.ColumnNames(state), before);
  encoder.Absorb(AllKindsBatch(), state);
  EXPECT_EQ(encoder.ColumnNames(state)[5], "color=red");
  EXPECT_EQ(encoder.ColumnNames(state)[6], "color=");
}

TEST(Encoder, EncodesByHand) {
  const Encoder encoder = Make(AllKinds());
  const Batch batch = AllKindsBatch();
  EncoderState state = encoder.Initial();
  ASSERT_TRUE(encoder.Check(batch).ok());
  Matrix out;
  EXPECT_EQ(Encode(encoder, state, batch, out), 4);  // colors; cities are hashed
  Learn(encoder, batch, state);
  EXPECT_EQ(Encode(encoder, state, batch, out), 1);
  ASSERT_EQ(out.rows(), encoder.num_encoded());
  ASSERT_EQ(out.cols(), 4);
  const double s = std::sqrt(500.0 / 3), r = std::sqrt(2.0);
  Matrix expected = Matrix::Zero(11, 4);
  expected.row(0) << -15 / s, -5 / s, 5 / s, 15 / s;
  expected.row(1) << -1 / r, 0, 1 / r, 0;
  expected.row(3) << 0, 1, 0, 1;
  expected.row(5) << 1, 0, 0, 1;  // red
  expected.row(6) << 0, 1, 0, 0;  // the empty text
  expected.row(7) << 0, 0, 1, 0;  // blue, third of two
  for (Index row = 0; row < 4; ++row) {
    const std::string& city = batch.text[1][static_cast<std::size_t>(row)];
    expected(8 + static_cast<Index>(StableHash(city) % 3), row) = 1;
  }
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Encoder, WithoutStandardisationNumbersPassAndMissingIsTheRunningMean) {
  const Encoder encoder = Make({Numeric("x", 1, true)}, Standardize::kNone);
  Batch batch;
  batch.inputs.resize(1, 3);
  batch.inputs << 2, kNaN, 7;
  EncoderState state = encoder.Initial();
  Matrix out;
  Encode(encoder, state, batch, out);
  EXPECT_EQ(out.row(0), Eigen::RowVector3d(2, 0, 7));
  encoder.Absorb(batch, state);
  Encode(encoder, state, batch, out);
  EXPECT_EQ(out.row(0), Eigen::RowVector3d(2, 4.5, 7));
  EXPECT_EQ(out.row(1), Eigen::RowVector3d(0, 1, 0));
}

// Widths around the vector width, with the features that may be missing interleaved.
TEST(Encoder, EveryColumnIsEncodedAlikeWhateverStandsBesideIt) {
  for (const Index columns : {1, 3, 15, 16, 17, 40}) {
    std::vector<FeatureConfig> features;
    for (Index i = 0; i < columns; ++i) {
      features.push_back(Numeric("x" + std::to_string(i), 1, i % 3 != 1));
    }
    const Encoder encoder = Make(features);
    Batch batch;
    batch.inputs.resize(columns, 29);
    FillNormal({1, 0, 0}, batch.inputs);
    for (Index i = 0; i < columns; ++i) {
      if (i % 3 != 1) batch.inputs(i, (7 * i) % 29) = kNaN;
    }
    ASSERT_TRUE(encoder.Check(batch).ok());
    EncoderState state = encoder.Initial();
    Learn(encoder, batch, state);
    Matrix out;
    Encode(encoder, state, batch, out);
    Index indicator = columns;
    for (Index i = 0; i < columns; ++i) {
      for (Index j = 0; j < 29; ++j) {
        const double x = batch.inputs(i, j);
        const double z = (x - state.moments.mean[i]) * (1 / state.moments.Scale(i));
        EXPECT_DOUBLE_EQ(out(i, j), std::isnan(x) ? 0 : z);
        if (i % 3 != 1) {
          EXPECT_EQ(out(indicator, j), std::isnan(x) ? 1 : 0);
        }
      }
      if (i % 3 != 1) ++indicator;
    }
    EXPECT_EQ(indicator, encoder.num_encoded());
  }
}

TEST(Encoder, StandardisedNumbersAreHeldWithinTheClip) {
  const std::vector<FeatureConfig> features = {Numeric("x", 1, true)};
  const Encoder clipped = *Encoder::Create(features, Standardize::kRunning, 3);
  const Encoder raw = *Encoder::Create(features, Standardize::kNone, 3);
  Batch batch;
  batch.inputs.resize(1, 4);
  batch.inputs << -1, 1, -1, 1;
  EncoderState state = clipped.Initial();
  Learn(clipped, batch, state);
  batch.inputs << 1e6, -1e6, kNaN, 2;
  Matrix out;
  Encode(clipped, state, batch, out);
  EXPECT_EQ(out.row(0).head(3), Eigen::RowVector3d(3, -3, 0));
  EXPECT_DOUBLE_EQ(out(0, 3), std::sqrt(3.0));
  EXPECT_EQ(out.row(1), Eigen::RowVector4d(0, 0, 1, 0));
  Encode(raw, state, batch, out);
  EXPECT_EQ(out.row(0), Eigen::RowVector4d(1e6, -1e6, 0, 2));
}

// Of the column's variance where a number is missing, and the square of what was cut off where it
// was held; the moments have moved on since the units were taken.
TEST(Encoder, DoubtsWhatIsMissingOrHeld) {
  const Encoder encoder =
      *Encoder::Create({Numeric("a"), Numeric("b", 1, true)}, Standardize::kRunning, 3);
  Batch batch;
  batch.inputs.resize(2, 4);
  batch.inputs << -1, 1, -1, 1,  //
      10, 30, 10, 30;
  EncoderState state = encoder.Initial();
  Learn(encoder, batch, state);
  state.units.scale[1] /= 2;
  const double deviation = std::sqrt(4.0 / 3);
  Batch asked;
  asked.inputs.resize(2, 4);
  asked.inputs << 0, 0, -5 * deviation, 1e90,  //
      20, kNaN, kNaN, 20;
  Matrix out;
  InputDoubts doubts;
  const auto expect = [&](const std::vector<Index>& rows, const std::vector<Index>& columns,
                          const std::vector<double>& variances) {
    EXPECT_EQ(doubts.rows, rows);
    ASSERT_EQ(doubts.cells.size(), columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      EXPECT_EQ(doubts.cells[k].column, columns[k]);
      EXPECT_NEAR(doubts.cells[k].variance / variances[k], 1, 1e-12);
    }
  };
  encoder.Encode(state, asked, out, doubts);
  expect({1, 2, 3}, {1, 0, 1, 0}, {4, 4, 4, 1e12});
  EXPECT_EQ(doubts.cells[2].at, 1);
  EXPECT_FALSE(doubts.cells[0].held);
  EXPECT_TRUE(doubts.cells[1].held);
  EXPECT_NEAR(out(0, 2), -3, 1e-12);
  asked.inputs = batch.inputs;
  encoder.Encode(state, asked, out, doubts);
  EXPECT_FALSE(doubts.any());
}

TEST(Encoder, NewCategoriesTakeTheNextSlotUntilFull) {
  const Encoder encoder = Make({Text("c", 2)});
  EncoderState state = encoder.Initial();
  Batch batch;
  const auto encode = [&](const std::string& value) {
    batch.text = {{value}};
    Matrix out;
    Encode(encoder, state, batch, out);
    EXPECT_EQ(out.sum(), 1);
    Index slot = 0;
    out.col(0).maxCoeff(&slot);
    return slot;
  };
  EXPECT_EQ(encode("a"), 2);  // other, not seen yet
  for (const char* value : {"a", "b", "c", "a"}) {
    batch.text = {{value}};
    encoder.Absorb(batch, state);
  }
  EXPECT_EQ(encode("a"), 0);
  EXPECT_EQ(encode("b"), 1);
  EXPECT_EQ(encode("c"), 2);
}

TEST(Encoder, CopiesOfAStateAreIndependentAndShareTables) {
  const Encoder encoder = Make(AllKinds());
  EncoderState state = encoder.Initial();
  encoder.Absorb(AllKindsBatch(), state);
  EncoderState next = encoder.Initial();
  const double* storage = next.moments.mean.data();
  next = state;
  EXPECT_EQ(next.moments.mean.data(), storage);  // reused
  EXPECT_EQ(next.tables[0], state.tables[0]);
  const Vector mean = state.moments.mean;
  Batch other = AllKindsBatch();
  other.inputs.array() += 1;
  encoder.Absorb(other, next);
  EXPECT_EQ(state.moments.mean, mean);
  EXPECT_NE(next.moments.mean, mean);
}

struct BadConfig {
  std::vector<FeatureConfig> features;
  std::string field;
};

void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.field; }

class BadFeature : public testing::TestWithParam<BadConfig> {};

TEST_P(BadFeature, IsNamed) {
  const absl::StatusOr<Encoder> encoder =
      Encoder::Create(GetParam().features, Standardize::kDefault);
  ASSERT_EQ(encoder.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(encoder.status()), GetParam().field) << encoder.status();
}

FeatureConfig With(FeatureConfig feature, Index FeatureConfig::*member, Index value) {
  feature.*member = value;
  return feature;
}

INSTANTIATE_TEST_SUITE_P(
    Encoder, BadFeature,
    testing::Values(BadConfig{{}, "config.features"},
                    BadConfig{{Numeric("a"), Numeric("b", 0)}, "config.features[1].width"},
                    BadConfig{{Numeric("a", -1)}, "config.features[0].width"},
                    BadConfig{{Numeric("a", Index{1} << 62)}, "config.features[0].width"},
                    BadConfig{{Numeric("a", 1 << 20), Numeric("b", 1)}, "config.features[1].width"},
                    BadConfig{{Numeric("a", 1 << 20, true)}, "config.features"},
                    BadConfig{{Numeric("a"), Text("a", 3)}, "config.features[1].name"},
                    BadConfig{{With(Numeric("a"), &FeatureConfig::hash_buckets, 3)},
                              "config.features[0].hash_buckets"},
                    BadConfig{{With(Text("a", 3), &FeatureConfig::width, 2)},
                              "config.features[0].width"},
                    BadConfig{{Text("a", 0)}, "config.features[0].max_categories"},
                    BadConfig{{Text("a", 1 << 20)}, "config.features[0].max_categories"},
                    BadConfig{{Hashed("a", -1)}, "config.features[0].hash_buckets"},
                    BadConfig{{Hashed("a", 1 << 21)}, "config.features[0].hash_buckets"},
                    BadConfig{{Hashed("a", 1 << 20), Hashed("b", 1)}, "config.features"},
                    BadConfig{{{.name = "a", .kind = Kind::kCategorical, .allow_missing = true}},
                              "config.features[0].allow_missing"}));

struct BadInput {
  void (*spoil)(Batch&);
  std::string message;
};

void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.message; }

class BadBatch : public testing::TestWithParam<BadInput> {};

TEST_P(BadBatch, IsNamedAndExplained) {
  Batch batch = AllKindsBatch();
  GetParam().spoil(batch);
  const absl::Status status = Make(AllKinds()).Check(batch);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), GetParam().message);
  ASSERT_TRUE(FieldOf(status).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Encoder, BadBatch,
    testing::Values(
        BadInput{[](Batch& b) { b.inputs(0, 3) = kNaN; },
                 "batch.inputs[3,0]: age must be a finite number (the feature does not allow "
                 "missing values), got nan"},
        BadInput{[](Batch& b) { b.inputs(0, 2) = HUGE_VAL; },
                 "batch.inputs[2,0]: age must be a finite number, got inf"},
        BadInput{[](Batch& b) { b.inputs(2, 1) = -HUGE_VAL; },
                 "batch.inputs[1,2]: pixel[1] must be a finite number, or NaN when missing, "
                 "got -inf"},
        BadInput{[](Batch& b) { b.inputs(1, 0) = 1e101; },
                 "batch.inputs[0,1]: pixel[0] must be at most 1e100 in magnitude, or NaN when "
                 "missing, got 1e+101"},
        BadInput{[](Batch& b) { b.inputs.resize(2, 4); },
                 "batch.inputs: must have 3 columns, one per numeric column of the model, got 2"},
        BadInput{[](Batch& b) { b.inputs.resize(3, 0); },
                 "batch.inputs: must have at least one row"},
        BadInput{[](Batch& b) { b.text.pop_back(); },
                 "batch.text: must have 2 columns, one per categorical feature, got 1"},
        BadInput{[](Batch& b) { b.text[1].pop_back(); },
                 "batch.text[1]: must have a value for each of the 4 rows, got 3 (city)"},
        BadInput{[](Batch& b) { b.text[0][2] = std::string(1025, 'x'); },
                 "batch.text[0].values[2]: color must have at most 1024 bytes, got 1025: \"" +
                     std::string(40, 'x') + "…\""}));

TEST(Encoder, TextAloneNeedsNoInputs) {
  const Encoder encoder = Make({Text("c", 2)});
  Batch batch;
  batch.text = {{}};
  EXPECT_EQ(FieldOf(encoder.Check(batch)), "batch.text[0]");
  batch.text = {{"a", "b"}};
  EXPECT_TRUE(encoder.Check(batch).ok());
  batch.inputs.setZero(1, 2);
  EXPECT_EQ(FieldOf(encoder.Check(batch)), "batch.inputs");
}

TEST(Encoder, ChecksStates) {
  const Encoder encoder = Make(AllKinds());
  EncoderState state = encoder.Initial();
  encoder.Absorb(AllKindsBatch(), state);
  EXPECT_TRUE(encoder.CheckState(state).ok());
  EncoderState bad = state;
  bad.tables.clear();
  EXPECT_EQ(encoder.CheckState(bad).code(), absl::StatusCode::kDataLoss);
  bad = state;
  bad.moments = RunningMoments::Empty(2);
  EXPECT_EQ(encoder.CheckState(bad).code(), absl::StatusCode::kDataLoss);
  bad = state;
  bad.tables[0] =
      std::make_shared<const CategoryTable>(*CategoryTable::FromValues({"a", "b", "c"}));
  EXPECT_EQ(encoder.CheckState(bad).code(), absl::StatusCode::kDataLoss);
}

TEST(Encoder, TinyDeviationsDoNotExplode) {
  const Encoder encoder = Make({Numeric("x")});
  EncoderState state = encoder.Initial();
  Batch batch;
  batch.inputs.setConstant(1, 100, 0.1);
  for (int i = 0; i < 100; ++i) Learn(encoder, batch, state);
  batch.inputs(0, 0) = 0.2;
  Matrix out;
  Encode(encoder, state, batch, out);
  EXPECT_NEAR(out(0, 0), 0.1, 1e-12);
  EXPECT_NEAR(out(0, 1), 0, 1e-12);
}

}  // namespace
}  // namespace prequel::encoder_test
