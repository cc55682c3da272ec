// The learner's state as bytes: golden files of every posterior, and what is no state.
#include "core/learner/codec/state_codec.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
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
#include "tests/core/learner/codec/golden_states.h"

namespace prequel::state_codec_test {
namespace {

using ::testing::HasSubstr;

// Without the seal and the fingerprint.
std::string BodyOf(const std::string& bytes) { return bytes.substr(kSealBytes + 8); }

std::string PathOf(const Golden& golden) {
  return Word(PREQUEL_GOLDEN) + "/state_v1_" + golden.name + ".bin";
}

TEST(StateCodecTest, ReadsAndWritesWhatGoldenFilesHold) {
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.name);
    const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
    ASSERT_TRUE(learner.ok()) << learner.status();
    LearnerState state = learner->Initial();
    golden.learn(state);
    const std::string current = learner->EncodeState(state);
    EXPECT_EQ(current.substr(0, 12), std::string("PREQUELS\1\0\0\0", 12));
    const std::string bytes = GoldenFile(PathOf(golden), current);
    EXPECT_TRUE(bytes == current);
    const absl::StatusOr<LearnerState> read = learner->DecodeState(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    // Equal states give equal bytes, so this compares every field with what is known.
    EXPECT_TRUE(learner->EncodeState(*read) == current);
  }
}

TEST(StateCodecTest, AnotherVersionIsTold) {
  const Golden golden = Point();
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  const std::string body = BodyOf(learner->EncodeState(learner->Initial()));
  const absl::Status status = learner->DecodeState(Seal(body, "PREQUELS", 2)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version"));
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
      Seal(std::move(then).Take() + BodyOf(now->EncodeState(now->Initial())), "PREQUELS", 1);
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
      {"unseen", [](LearnerState& s) { s.evaluation.unseen_categories = -1; }},
      {"noise shape", [](LearnerState& s) { BeliefOf(s).noise.shape[0] = kNaN; }},
      {"noise rate", [](LearnerState& s) { BeliefOf(s).noise.rate[0] = kInfinity; }},
      {"no noise", [](LearnerState& s) { BeliefOf(s).noise = {}; }},
      {"moments", [](LearnerState& s) { s.inputs.moments.m2[1] = kNaN; }},
      {"references", [](LearnerState& s) { s.references.errors[0] = -1; }},
      {"references ahead", [](LearnerState& s) { s.references.judged = 1e3; }},
      {"a run", [](LearnerState& s) { s.restarts.rows = 1; }},
      {"a watch", [](LearnerState& s) { s.change.watch.variance[2] = -1; }},
      {"a block", [](LearnerState& s) { s.change.watch.rows = 128; }},
      {"what a column is", [](LearnerState& s) { s.change.watch.spread[0] = -1; }},
      {"a time", [](LearnerState& s) { s.times.gap = -1; }},
      {"an alarm", [](LearnerState& s) { s.change.noise.times = 9; }},
      {"a calibration", [](LearnerState& s) { s.calibration.intervals.shifts.setZero(6, 1); }},
      {"units", [](LearnerState& s) { s.inputs.units.scale[0] = -1; }},
      {"no units", [](LearnerState& s) { s.targets.units = {}; }},
      {"far values", [](LearnerState& s) { s.inputs.moments.far[0] = 1e3; }},
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
      {"of values", [](CalibrationState& s) { s.intervals = FreshIntervals(1); }},
      {"of counts", [](CalibrationState& s) { s.balance = FreshBalance(1); }}};
  const Golden golden = WithCalibration(LowRank());
  const absl::StatusOr<Learner> learner = Learner::Create(golden.config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  for (const auto& [name, breaking] : broken) {
    LearnerState state = learner->Initial();
    golden.learn(state);
    breaking(state.calibration);
    const absl::Status status = learner->DecodeState(learner->EncodeState(state)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << name << ": " << status;
  }
  LearnerState values = Learner::Create(WithCalibration(Full()).config)->Initial();
  for (const double shift : {kNaN, 1e3}) {
    values.calibration.intervals.shifts(2, 0) = shift;
    EXPECT_FALSE(IsSound(values.calibration.intervals, 1)) << shift;
  }
  const Golden counts = WithCalibration(Diagonal());
  const absl::StatusOr<Learner> counting = Learner::Create(counts.config);
  ASSERT_TRUE(counting.ok()) << counting.status();
  for (const BalanceState& balance : {BalanceState(), FreshBalance(2)}) {
    LearnerState state = counting->Initial();
    counts.learn(state);
    state.calibration.balance = balance;
    EXPECT_EQ(counting->DecodeState(counting->EncodeState(state)).status().code(),
              absl::StatusCode::kDataLoss);
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
}  // namespace prequel::state_codec_test
