#include "server/engine/fold/stored_config.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "server/storage/catalogue.h"
#include "tests/server/engine/fake_world.h"

namespace prequel {
namespace {

TEST(StoredConfigTest, EveryDefaultIsFilledIn) {
  const TestCodec codec;
  const Learner learner = Learner::Create(LinearConfig(2)).value();
  ASSERT_NE(learner.config(), LinearConfig(2)) << "something was left out";
  const std::string bytes = WriteConfig(learner, codec).value();
  EXPECT_EQ(codec.DecodeConfig(bytes).value(), learner.config());
  EXPECT_EQ(ReadConfig(bytes, kModelVersion, codec).value()->config(), learner.config());
}

// What was left out in version 1 has the defaults of then.
TEST(StoredConfigTest, VersionOneKnewNoLearnedDispersion) {
  const TestCodec codec;
  LearnerConfig config = LinearConfig(2);
  config.likelihood = {"negative_binomial", {}};
  const auto learner = ReadConfig(codec.EncodeConfig(config), 1, codec);
  ASSERT_TRUE(learner.ok()) << learner.status();
  EXPECT_EQ((*learner)->config().likelihood.options.at("dispersion"), OptionValue(1.0));
  config.likelihood.options["dispersion"] = 0.5;
  const auto given = ReadConfig(codec.EncodeConfig(config), 1, codec);
  EXPECT_EQ((*given)->config().likelihood.options.at("dispersion"), OptionValue(0.5));
}

TEST(StoredConfigTest, VersionOneHoldsWhatWasGiven) {
  const TestCodec codec;
  const std::string given = codec.EncodeConfig(LinearConfig(2));
  const auto learner = ReadConfig(given, 1, codec);
  ASSERT_TRUE(learner.ok()) << learner.status();
  LearnerConfig then = LinearConfig(2);
  then.calibration.name = "none";
  then.standardize_window = RunningMoments::kAllRows;
  EXPECT_EQ((*learner)->config(), Learner::Create(then)->config());
}

// Models are calibrated by default today; those that were stored before go on as they were.
TEST(StoredConfigTest, WhatNamesNoCalibrationHasNone) {
  const TestCodec codec;
  LearnerConfig config = LinearConfig(2);
  ASSERT_EQ(Learner::Create(config)->config().calibration.name, "online");
  for (const int version : {1, kModelVersion}) {
    const auto learner = ReadConfig(codec.EncodeConfig(config), version, codec);
    ASSERT_TRUE(learner.ok()) << learner.status();
    EXPECT_EQ((*learner)->config().calibration.name, "none") << version;
  }
  config.calibration.name = "online";
  EXPECT_EQ(
      (*ReadConfig(codec.EncodeConfig(config), kModelVersion, codec))->config().calibration.name,
      "online");
}

// The prior of networks was N(m₀, I); today it is narrower by the fan-in.
TEST(StoredConfigTest, VersionOneKnewNoScaleByLayers) {
  const TestCodec codec;
  LearnerConfig network = LinearConfig(2);
  network.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
  const auto scale_of = [](const Learner& learner) {
    return std::get<std::string>(learner.config().prior.options.at("layer_scale"));
  };
  network.dynamics = {};
  network.posterior = {};
  network.rule = {};
  EXPECT_EQ(scale_of(*Learner::Create(network)), "both");
  EXPECT_EQ(scale_of(**ReadConfig(codec.EncodeConfig(network), 1, codec)), "none");
  network.prior.options["layer_scale"] = std::string("fan_in");
  EXPECT_EQ(scale_of(**ReadConfig(codec.EncodeConfig(network), 1, codec)), "fan_in");
  EXPECT_EQ(scale_of(**ReadConfig(codec.EncodeConfig(network), kModelVersion, codec)), "fan_in");
}

// Beliefs of both scales stay what they were made.
TEST(StoredConfigTest, KeepsTheBeliefsOfBothScales) {
  const TestCodec codec;
  LearnerConfig network = LinearConfig(2);
  network.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
  network.dynamics = {};
  network.posterior = {};
  network.rule = {};
  const Learner made = *Learner::Create(network);
  const auto bytes = WriteConfig(made, codec);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = ReadConfig(*bytes, kModelVersion, codec);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->config(), made.config());
  EXPECT_EQ((*read)->EncodeState((*read)->Initial()), made.EncodeState(made.Initial()));
}

// A network too large for a covariance of all its weights by default today had one.
TEST(StoredConfigTest, VersionOneKeepsTheFullPosterior) {
  const TestCodec codec;
  LearnerConfig large = LinearConfig(2);
  large.posterior = {};
  large.model = {"mlp", {{"hidden", std::vector<double>{2000}}}};
  ASSERT_NE(Learner::Create(large)->config().posterior.name, "full");
  const auto learner = ReadConfig(codec.EncodeConfig(large), 1, codec);
  ASSERT_TRUE(learner.ok()) << learner.status();
  EXPECT_EQ((*learner)->config().posterior.name, "full");
  EXPECT_EQ((*learner)->config().rule.name, "rvga");
  large.rule.name = "lofi";
  EXPECT_EQ((*ReadConfig(codec.EncodeConfig(large), 1, codec))->config().posterior.name,
            "low_rank");
}

TEST(StoredConfigTest, SaysWhatIsWrong) {
  const TestCodec codec;
  EXPECT_EQ(ReadConfig("nonsense", 1, codec).status().code(), absl::StatusCode::kInvalidArgument);
  LearnerConfig odd = LinearConfig(2);
  odd.rule.name = "no such rule";
  EXPECT_EQ(ReadConfig(codec.EncodeConfig(odd), 2, codec).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// A codec that loses something must not make another model of it at the next start.
TEST(StoredConfigTest, WhatDoesNotSurviveIsNotWritten) {
  class Forgetful final : public Codec {
   public:
    absl::StatusOr<LearnerConfig> DecodeConfig(std::string_view) const override {
      return LinearConfig(3);
    }
    std::string EncodeConfig(const LearnerConfig&) const override { return "3"; }
    absl::StatusOr<Batch> DecodeBatch(std::string_view) const override { return Batch(); }
  };
  const Learner learner = Learner::Create(LinearConfig(2)).value();
  EXPECT_EQ(WriteConfig(learner, Forgetful()).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace prequel
