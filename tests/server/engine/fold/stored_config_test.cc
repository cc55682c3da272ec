#include "server/engine/fold/stored_config.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tests/server/engine/fake_world.h"

namespace prequel::stored_config_test {
namespace {

TEST(StoredConfigTest, EveryDefaultIsFilledIn) {
  const TestCodec codec;
  const Learner learner = Learner::Create(LinearConfig(2)).value();
  ASSERT_NE(learner.config(), LinearConfig(2)) << "something was left out";
  const std::string bytes = WriteConfig(learner, codec).value();
  EXPECT_EQ(codec.DecodeConfig(bytes).value(), learner.config());
  EXPECT_EQ(ReadConfig(bytes, codec).value()->config(), learner.config());
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
  const auto read = ReadConfig(*bytes, codec);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->config(), made.config());
  EXPECT_EQ((*read)->EncodeState((*read)->Initial()), made.EncodeState(made.Initial()));
}

TEST(StoredConfigTest, SaysWhatIsWrong) {
  const TestCodec codec;
  EXPECT_EQ(ReadConfig("nonsense", codec).status().code(), absl::StatusCode::kInvalidArgument);
  LearnerConfig odd = LinearConfig(2);
  odd.rule.name = "no such rule";
  EXPECT_EQ(ReadConfig(codec.EncodeConfig(odd), codec).status().code(),
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
}  // namespace prequel::stored_config_test
