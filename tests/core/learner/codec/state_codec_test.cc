// The learner's state as bytes: golden files of every posterior, and what is no state.
#include "core/learner/codec/state_codec.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/archive/archive.h"
#include "core/config/fingerprint.h"
#include "core/learner/learner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/belief_of.h"
#include "tests/core/golden_file.h"

namespace prequel {
namespace {

using ::testing::HasSubstr;
using Word = std::string;

// The configurations are written out, with every option that version 1 had, as they stand in the
// data directories of that time. Every number has few binary digits, so no build computes others.
LearnerConfig ConfigV1(const Word& likelihood, ComponentConfig posterior, ComponentConfig rule) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2},
                     {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 2}};
  config.target = {.name = "y"};
  config.calibration = {"none", {}};
  config.model = {"linear", {{"bias", true}}};
  config.likelihood = {likelihood, {}};
  config.prior = {"isotropic",
                  {{"bias_precision", 1.0}, {"layer_scale", Word("none")}, {"precision", 1.0}}};
  config.posterior = std::move(posterior);
  config.rule = std::move(rule);
  config.dynamics.name = "static";
  config.standardize_inputs = Standardize::kRunning;
  config.standardize_targets = Standardize::kNone;
  config.seed = 7;
  return config;
}

struct Golden {
  const char* name;
  LearnerConfig config;
  std::function<void(LearnerState&)> learn;  // what it has come to, from the initial state
  // What is made of it where it was written by version 1 or 2.
  std::function<void(LearnerState&)> upgrade = [](LearnerState&) {};
};

// 1, 1.25, 1.5, … and alike.
Vector Steps(Index size, double first, double step = 0.25) {
  Vector v(size);
  for (Index i = 0; i < size; ++i) v[i] = first + step * static_cast<double>(i);
  return v;
}

SharedTable Table(std::vector<std::string> values) {
  return std::make_shared<const CategoryTable>(*CategoryTable::FromValues(std::move(values)));
}

// As it stood in version 1, of the scores that apply.
void SetScores(Evaluation& evaluation) {
  const TargetKind kind = evaluation.cumulative.kind();
  const auto set = [&](Tally& tally, double weight, const char* name, double sum) {
    tally.RestoreWeight(weight);
    for (const Score& score : ScoresOf(kind)) {
      std::vector<double> sums(score.num_sums, 0);
      if (score.name == name) sums[0] = sum;
      if (score.name == "ece" && Word(name) == "nll") sums[0] = 1, sums[3] = 2, sums[6] = 3;
      EXPECT_TRUE(tally.Restore(score.name, weight, sums.data(), sums.size()));
    }
  };
  set(evaluation.cumulative, 16, "nll", 20.5);
  set(evaluation.window, 15.75, "rmse", 2);
}

// What every model has.
void SetEncodings(LearnerState& s) {
  s.revision = 3;
  s.examples = 24;
  s.inputs.moments = {Steps(2, 24, 0), Steps(2, -0.5), Steps(2, 6)};
  s.inputs.tables = {Table({"red", ""})};
  SetScores(s.evaluation);
  s.evaluation.skipped_rows = 5;
  s.evaluation.unscored_rows = 8;
}

Golden Full() {
  Golden g{.name = "full",
           .config = ConfigV1("gaussian", {"full", {}},
                              {"rvga",
                               {{"expectation", Word("linearized")},
                                {"mode", Word("recursive")},
                                {"passes", 10.0},
                                {"samples", 10.0},
                                {"scheme", Word("implicit")},
                                {"tolerance", 0.0009765625}}})};
  g.config.likelihood.options = {
      {"noise", Word("learned")}, {"noise_rate", 0.125}, {"noise_shape", 1.5}};
  g.config.standardize_targets = Standardize::kRunning;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.moments = {Steps(1, 24), Steps(1, 0.125), Steps(1, 3)};
    BeliefOf(s).noise = {Steps(1, 13.5), Steps(1, 4.25)};
    auto& q = std::get<FullGaussian>(BeliefOf(s).posterior);
    q.mean = Steps(q.size(), -1);
    q.covariance = Matrix::Constant(q.size(), q.size(), 0.0625);
    q.covariance.diagonal() = Steps(q.size(), 0.5);
  };
  g.upgrade = [](LearnerState& s) {  // P̃ = P/σ² with σ² = β/α
    std::get<FullGaussian>(BeliefOf(s).posterior).covariance /= 4.25 / 13.5;
  };
  return g;
}

Golden Diagonal() {
  Golden g{.name = "diagonal",
           .config = ConfigV1("poisson", {"diagonal", {}},
                              {"ivon",
                               {{"alpha", 0.125},
                                {"beta1", 0.875},
                                {"beta2", 0.75},
                                {"clip_radius", Word("none")},
                                {"dataset_size", 64.0},
                                {"effective_size", Word("dataset_size")},
                                {"initial_curvature", 0.125},
                                {"mode", Word("dataset")},
                                {"predictive", Word("linearized")},
                                {"samples", 1.0}}})};
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    // Not known to these versions.
    s.targets.largest.setConstant(std::numeric_limits<double>::infinity());
    auto& q = std::get<DiagonalGaussian>(BeliefOf(s).posterior);
    q.mean = Steps(q.size(), -1);
    q.precision = Steps(q.size(), 8);
    auto& rule = StateOf<Ivon>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Steps(q.size(), 0.5);
  };
  return g;
}

Golden LowRank() {
  Golden g{.name = "low_rank",
           .config = ConfigV1("bernoulli", {"low_rank", {{"rank", 2.0}}},
                              {"slang",
                               {{"alpha", 0.125},
                                {"beta", 0.125},
                                {"beta1", 0.875},
                                {"curvature", Word("fisher")},
                                {"dataset_size", 64.0},
                                {"initial_curvature", 0.125},
                                {"mode", Word("dataset")},
                                {"predictive", Word("linearized")},
                                {"samples", 1.0},
                                {"schedule", Word("decay")}}})};
  g.config.target.num_classes = 2;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.labels = Table({"no", "yes"});
    auto& q = std::get<LowRankGaussian>(BeliefOf(s).posterior);
    q.mean = Steps(q.size(), -1);
    q.diagonal = Steps(q.size(), 8);
    q.factor.resize(q.size(), 2);
    q.factor.col(0) = Steps(q.size(), 1);
    q.factor.col(1) = Steps(q.size(), 2, -0.5);
    auto& rule = StateOf<Slang>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Steps(q.size(), 0.5);
  };
  return g;
}

Golden Point() {
  Golden g{.name = "point",
           .config = ConfigV1("categorical", {"point", {}},
                              {"adam",
                               {{"alpha", 0.125},
                                {"beta1", 0.875},
                                {"beta2", 0.75},
                                {"dataset_size", 64.0},
                                {"epsilon", 0.0009765625},
                                {"mode", Word("dataset")}}})};
  g.config.target.num_classes = 3;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.integers = true;
    auto& q = std::get<PointMass>(BeliefOf(s).posterior);
    q.mean = Steps(q.size(), -1);
    auto& rule = StateOf<Adam>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Steps(q.size(), 0.5);
    rule.squares = Steps(q.size(), 0);
  };
  return g;
}

std::vector<Golden> Goldens() { return {Full(), Diagonal(), LowRank(), Point()}; }

// Since version 4.
Golden Calibrated(Golden g) {
  g.config.calibration = {"online", {}};
  g.learn = [learn = std::move(g.learn)](LearnerState& s) {
    learn(s);
    ReferenceState& references = s.references;
    references.seen = 3;
    references.judged = 2;
    references.last = Steps(1, 1);
    if (s.calibration.classes.empty()) {
      s.calibration.intervals.shifts.col(0) = Steps(6, -0.5);
      references.errors = Steps(1, 2.5);
      references.mean = Steps(1, 0.75);
      references.squares = Steps(1, 3.5);
      return;
    }
    s.calibration.classes.mean = Steps(4, -0.25);
    s.calibration.classes.covariance.diagonal() = Steps(4, 0.125, 0.0625);
    PairWeightsState& weights = s.calibration.classes.weights;
    weights.weights = Steps(12, 0.0625, 0.0625);
    weights.average = Steps(12, 0.125, 0.0625);
    weights.log_trust.setConstant(-2.484906649788);  // log 12
    weights.rows = 67;
    references.counts = Steps(2, 1, 1);
    references.kept = 1;
  };
  return g;
}

std::vector<Golden> GoldensOfV4() {
  Golden full = Calibrated(Full()), low_rank = Calibrated(LowRank());
  full.name = "full_calibrated";
  low_rank.name = "low_rank_calibrated";
  return {full, low_rank};
}

// Without the seal and the fingerprint.
std::string BodyOf(const std::string& bytes) { return bytes.substr(kSealBytes + 8); }

std::string PathOf(const Golden& golden, int version) {
  return Word(PREQUEL_GOLDEN) + "/state_v" + std::to_string(version) + "_" + golden.name + ".bin";
}

TEST(StateCodecTest, ReadsEveryVersionAndWritesTheNewest) {
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.name);
    const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
    ASSERT_TRUE(learner.ok()) << learner.status();
    LearnerState state = learner->Initial();
    golden.learn(state);
    const std::string current = learner->EncodeState(state);
    EXPECT_EQ(current.substr(0, 12), std::string("PREQUELS\4\0\0\0", 12));
    LearnerState upgraded = state;
    golden.upgrade(upgraded);
    for (const int version : {1, 2, 3, 4}) {
      const std::string bytes = GoldenFile(PathOf(golden, version), current);
      const absl::StatusOr<LearnerState> read = learner->DecodeState(bytes);
      ASSERT_TRUE(read.ok()) << version << ": " << read.status();
      // Equal states give equal bytes, so this compares every field with what is known.
      const LearnerState& expected = version < 3 ? upgraded : state;
      EXPECT_EQ(BodyOf(learner->EncodeState(*read)), BodyOf(learner->EncodeState(expected)))
          << version;
    }
  }
}

TEST(StateCodecTest, ReadsWhatIsKnownSinceVersion4) {
  for (const Golden& golden : GoldensOfV4()) {
    SCOPED_TRACE(golden.name);
    const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
    ASSERT_TRUE(learner.ok()) << learner.status();
    LearnerState state = learner->Initial();
    golden.learn(state);
    const std::string current = learner->EncodeState(state);
    const absl::StatusOr<LearnerState> read =
        learner->DecodeState(GoldenFile(PathOf(golden, 4), current));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(BodyOf(learner->EncodeState(*read)), BodyOf(current));
  }
}

// A later build completes a stored configuration by options of its own, whose defaults mean what
// was. Here the stored one leaves out what this build would add.
TEST(StateCodecTest, AnOptionAddedSinceDoesNotMakeItAnotherConfiguration) {
  Golden golden = Full();
  const absl::StatusOr<Learner> now = Learner::Create(golden.config);
  ASSERT_TRUE(now.ok()) << now.status();
  golden.config.rule.options.erase("samples");
  ArchiveWriter then;  // what a build without that option wrote
  then.Value("fingerprint", Fingerprint(golden.config));
  const std::string bytes =
      Seal(std::move(then).Take() + BodyOf(now->EncodeState(now->Initial())), "PREQUELS", 4);
  const absl::StatusOr<Learner> completed = Learner::Create(golden.config);
  ASSERT_TRUE(completed.ok()) << completed.status();
  EXPECT_EQ(completed->config(), now->config());
  EXPECT_TRUE(completed->DecodeState(bytes).ok()) << completed->DecodeState(bytes).status();
  EXPECT_EQ(now->DecodeState(bytes).status().code(), absl::StatusCode::kFailedPrecondition);
}

// What no fold leads to is refused, not gone on from.
TEST(StateCodecTest, UnsoundStatesAreDataLoss) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const Golden golden = Full();
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  const std::vector<std::pair<const char*, std::function<void(LearnerState&)>>> broken = {
      {"revision", [](LearnerState& s) { s.revision = -1; }},
      {"the last revision", [](LearnerState& s) { s.revision = kMost; }},
      {"examples", [](LearnerState& s) { s.examples = kMost; }},
      {"skipped", [](LearnerState& s) { s.evaluation.skipped_rows = -1; }},
      {"unscored", [](LearnerState& s) { s.evaluation.unscored_rows = kMost; }},
      {"noise shape", [](LearnerState& s) { BeliefOf(s).noise.shape[0] = kNaN; }},
      {"noise rate", [](LearnerState& s) { BeliefOf(s).noise.rate[0] = kInfinity; }},
      {"no noise", [](LearnerState& s) { BeliefOf(s).noise = {}; }},
      {"moments", [](LearnerState& s) { s.inputs.moments.m2[1] = kNaN; }},
      {"references", [](LearnerState& s) { s.references.errors[0] = -1; }},
      {"references ahead", [](LearnerState& s) { s.references.judged = 1e3; }},
      {"a calibration", [](LearnerState& s) { s.calibration.intervals.shifts.setZero(6, 1); }},
      {"too large a mean", [](LearnerState& s) { s.inputs.moments.mean[1] = 1e200; }},
      {"mean",
       [](LearnerState& s) { std::get<FullGaussian>(BeliefOf(s).posterior).mean[0] = kNaN; }},
      {"a size",
       [](LearnerState& s) { std::get<FullGaussian>(BeliefOf(s).posterior).mean.resize(1); }}};
  for (const auto& [name, breaking] : broken) {
    LearnerState state = learner->Initial();
    golden.learn(state);
    breaking(state);
    const absl::Status status = learner->DecodeState(learner->EncodeState(state)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name << ": " << status;
  }
}

TEST(StateCodecTest, UnsoundCalibrationsAreDataLoss) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<const char*, std::function<void(CalibrationState&)>>> broken = {
      {"mean", [](CalibrationState& s) { s.classes.mean[0] = kNaN; }},
      {"covariance", [](CalibrationState& s) { s.classes.covariance(1, 1) = -1; }},
      {"asymmetry", [](CalibrationState& s) { s.classes.covariance(0, 1) = 0.01; }},
      {"mixing", [](CalibrationState& s) { s.classes.weights.weights[0] = 2; }},
      {"none", [](CalibrationState& s) { s = {}; }},
      {"of values", [](CalibrationState& s) { s.intervals = FreshIntervals(1); }}};
  const Golden golden = Calibrated(LowRank());
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  for (const auto& [name, breaking] : broken) {
    LearnerState state = learner->Initial();
    golden.learn(state);
    breaking(state.calibration);
    const absl::Status status = learner->DecodeState(learner->EncodeState(state)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name << ": " << status;
  }
  LearnerState values = Learner::Create(Calibrated(Full()).config)->Initial();
  for (const double shift : {kNaN, 1e3}) {
    values.calibration.intervals.shifts(2, 0) = shift;
    EXPECT_FALSE(IsSound(values.calibration.intervals, 1)) << shift;
  }
}

TEST(StateCodecTest, EveryFlippedBitAndEveryTruncationIsRefused) {
  const Golden golden = LowRank();
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  LearnerState state = learner->Initial();
  golden.learn(state);
  const std::string bytes = learner->EncodeState(state);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(learner->DecodeState(flipped).ok()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(learner->DecodeState(bytes.substr(0, size)).ok()) << size;
  }
}

TEST(StateCodecTest, AnotherConfigurationIsTold) {
  Golden golden = Point();
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  golden.config.seed = 8;
  const absl::StatusOr<Learner> other = Learner::Create(golden.config);
  ASSERT_TRUE(learner.ok() && other.ok());
  const absl::Status status = other->DecodeState(learner->EncodeState(learner->Initial())).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another configuration"));
}

}  // namespace
}  // namespace prequel
