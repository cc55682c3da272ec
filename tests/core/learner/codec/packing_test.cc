// Storage float32: what rounding between minibatches costs, in size and in what is learned.
#include "core/learner/codec/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel::packing_test {
namespace {

constexpr Index kInputs = 4;

struct Case {
  RuleUnderTest rule;
  std::string posterior;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    for (const std::string& posterior : rule.posteriors) {
      if (posterior == "diagonal" || posterior == "point") cases.push_back({rule, posterior});
    }
  }
  return cases;
}

LearnerConfig ConfigOf(const Case& c, const std::string& storage) {
  LearnerConfig config = PlainConfig(kInputs, "bernoulli");
  if (c.rule.model != "linear") config.model = {"mlp", {{"hidden", std::vector<double>{6}}}};
  config.rule = c.rule.rule;
  config.posterior = {c.posterior, {{"storage", storage}}};
  return config;
}

// A model and where it stands, unpacked for a look.
class Course {
 public:
  explicit Course(const LearnerConfig& config)
      : problem_(*Problem::Make(config)),
        learner_(*Learner::Create(config)),
        state_(learner_.Initial()) {}

  absl::Status Learn(const Batch& batch) {
    const absl::StatusOr<Learned> learned = learner_.Update(state_, batch, scratch_, next_);
    if (learned.ok()) std::swap(state_, next_);
    return learned.status();
  }
  absl::Status LearnStream(std::uint64_t first, std::uint64_t count) {
    absl::Status status;
    for (std::uint64_t t = first; t < first + count; ++t) {
      status.Update(Learn(LogisticBatch(kInputs, 16, t)));
    }
    return status;
  }

  LearnerState Look() const {
    if (problem_.storage == Storage::kFloat64) return state_;
    LearnerState state;
    Unpack(problem_, state_, state);
    return state;
  }
  Answer Predict(const Batch& batch) { return *Ask(learner_, state_, batch, scratch_); }
  const Learner& learner() const { return learner_; }
  LearnerState& state() { return state_; }

 private:
  Problem problem_;
  Learner learner_;
  LearnerState state_, next_;
  Scratch scratch_;
};

class PackedRule : public testing::TestWithParam<Case> {};

// The bound that core/math/numerics.md documents.
TEST_P(PackedRule, PredictsAsInDoublesOverALongStream) {
  Course doubles(ConfigOf(GetParam(), "float64")), floats(ConfigOf(GetParam(), "float32"));
  ASSERT_TRUE(doubles.LearnStream(0, 500).ok());
  ASSERT_TRUE(floats.LearnStream(0, 500).ok());
  const Batch asked = LogisticBatch(kInputs, 200, 1000);
  const Matrix p = doubles.Predict(asked)["probabilities"],
               q = floats.Predict(asked)["probabilities"];
  const double apart = (p - q).cwiseAbs().maxCoeff();
  EXPECT_LT(apart, 1e-4);
  EXPECT_GT(apart, 0);  // it does round
}

TEST_P(PackedRule, GoesOnFromItsBytesBitForBit) {
  Course whole(ConfigOf(GetParam(), "float32")), parts(ConfigOf(GetParam(), "float32"));
  ASSERT_TRUE(whole.LearnStream(0, 12).ok());
  ASSERT_TRUE(parts.LearnStream(0, 5).ok());
  absl::StatusOr<LearnerState> restored =
      parts.learner().DecodeState(parts.learner().EncodeState(parts.state()));
  ASSERT_TRUE(restored.ok()) << restored.status();
  parts.state() = *std::move(restored);
  ASSERT_TRUE(parts.LearnStream(5, 7).ok());
  EXPECT_EQ(whole.learner().EncodeState(whole.state()), parts.learner().EncodeState(parts.state()));
}

INSTANTIATE_TEST_SUITE_P(Rules, PackedRule, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<Case>& param) {
                           return param.param.rule.name + "_" + param.param.posterior;
                         });

double AsFloat(double x) { return static_cast<double>(static_cast<float>(x)); }

// From N(0, I), which floats hold exactly, one minibatch is the doubles' and then rounded once.
TEST(Packing, RoundsOnceAMinibatch) {
  const Case c{{"ivon", {"ivon", {}}, {}, "linear"}, "diagonal"};
  Course doubles(ConfigOf(c, "float64")), floats(ConfigOf(c, "float32"));
  ASSERT_TRUE(doubles.LearnStream(0, 1).ok());
  ASSERT_TRUE(floats.LearnStream(0, 1).ok());
  const LearnerState wide = doubles.Look(), narrow = floats.Look();
  const auto& p = std::get<DiagonalGaussian>(BeliefOf(wide).posterior);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(narrow).posterior);
  EXPECT_NE(q.mean, p.mean);
  EXPECT_EQ(q.mean, p.mean.unaryExpr(&AsFloat));
  EXPECT_EQ(q.precision, p.precision.unaryExpr(&AsFloat));
}

TEST(Packing, HalvesTheBytes) {
  const auto size = [](const std::string& storage) {
    LearnerConfig config = PlainConfig(kInputs, "bernoulli");
    config.model = {"mlp", {{"hidden", std::vector<double>{8000}}}};
    config.rule = {"ivon", {}};
    config.posterior = {"diagonal", {{"storage", storage}}};
    Course stream(config);
    EXPECT_TRUE(stream.LearnStream(0, 1).ok());
    return static_cast<double>(stream.learner().EncodeState(stream.state()).size());
  };
  EXPECT_NEAR(size("float32") / size("float64"), 0.5, 0.01);
}

// A minibatch that leaves a precision of 1e50.
TEST(Packing, RejectsWhatAFloatCannotHold) {
  for (const char* storage : {"float64", "float32"}) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.likelihood.options["noise"] = 1e-12;
    config.rule = {"rvga", {}};
    config.posterior = {"diagonal", {{"storage", std::string(storage)}}};
    Course stream(config);
    const std::string before = stream.learner().EncodeState(stream.state());
    Batch batch = BatchFor("gaussian", kInputs, 8, 0);
    batch.inputs *= 1e19;
    const absl::Status status = stream.Learn(batch);
    if (std::string(storage) == "float64") {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_NE(status.message().find("float64"), std::string::npos) << status;
    EXPECT_EQ(stream.learner().EncodeState(stream.state()), before);
    EXPECT_TRUE(stream.Learn(BatchFor("gaussian", kInputs, 8, 0)).ok());
  }
}

TEST(Packing, RefusesWhatCannotWork) {
  const auto field = [](const LearnerConfig& config) {
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    return learner.ok() ? "" : FieldOf(learner.status()).value_or("no field");
  };
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.rule = {"rvga", {}};
  config.posterior = {"diagonal", {{"storage", std::string("float32")}}};
  EXPECT_EQ(field(config), "");
  config.posterior.options["storage"] = std::string("float16");
  EXPECT_EQ(field(config), "config.posterior.options.storage");
  config.posterior.options["storage"] = std::string("float32");
  config.prior = {"imported", {{"weights", std::vector<double>{1, 1, 1e39, 1, 1}}}};
  EXPECT_EQ(field(config), "config.posterior.options.storage");
  config.posterior.options["storage"] = std::string("float64");
  EXPECT_EQ(field(config), "");
  config.posterior = {"full", {{"storage", std::string("float32")}}};
  EXPECT_EQ(field(config), "config.posterior.options.storage");
}

// Archives that no model of this configuration has left.
TEST(Packing, BytesOfAnotherShapeAreDataLoss) {
  const Case c{{"ivon", {"ivon", {}}, {}, "linear"}, "diagonal"};
  Course stream(ConfigOf(c, "float32"));
  ASSERT_TRUE(stream.LearnStream(0, 1).ok());
  const Learner& learner = stream.learner();
  const std::string packed = BeliefOf(stream.state()).packed;
  for (const std::string& bytes :
       {std::string(), packed.substr(1), packed.substr(0, packed.size() - 1), packed + '\0',
        std::string(packed.size(), '\xff')}) {
    BeliefOf(stream.state()).packed = bytes;
    const absl::Status status = learner.DecodeState(learner.EncodeState(stream.state())).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  }
}

}  // namespace
}  // namespace prequel::packing_test
