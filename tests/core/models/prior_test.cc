#include "core/models/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/config/fingerprint.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::prior_test {
namespace {

using Numbers = std::vector<double>;
using OptionMap = std::map<std::string, OptionValue>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Two inputs, hidden layers of 3 and 2, one logit: D = 9 + 8 + 3 = 20.
LearnerConfig SmallMlp(OptionMap prior) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.model = {"mlp", {{"hidden", Numbers{3, 2}}}};
  config.prior = {"imported", std::move(prior)};
  return config;
}

Numbers Counted(int size, double from = 0) {
  Numbers numbers;
  for (int i = 0; i < size; ++i) numbers.push_back(from + i);
  return numbers;
}

// 0, 1, … 19 by layers.
OptionMap ByLayers(const std::string& weights, const std::string& bias, double from = 0) {
  return {{"layer1." + weights, NumberTable{3, 2, Counted(6, from)}},
          {"layer1." + bias, Counted(3, from + 6)},
          {"layer2." + weights, NumberTable{2, 3, Counted(6, from + 9)}},
          {"layer2." + bias, Counted(2, from + 15)},
          {"layer3." + weights, NumberTable{1, 2, Counted(2, from + 17)}},
          {"layer3." + bias, Counted(1, from + 19)}};
}

FullGaussian Start(const LearnerConfig& config) {
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  EXPECT_TRUE(learner.ok()) << learner.status();
  if (!learner.ok()) return {};
  return std::get<FullGaussian>(BeliefOf(learner->Initial()).posterior);
}

// A unit of a hidden layer has as many weights as there are below: 2, 3, and 2.
TEST(IsotropicPrior, OfNetworksIsOverTheFanInUnlessItIsToldOtherwise) {
  LearnerConfig config = SmallMlp({});
  config.prior = {};
  const Vector variances = Start(config).covariance.diagonal();
  EXPECT_EQ(variances.segment(0, 6), Vector::Constant(6, 1.0 / 2));
  EXPECT_EQ(variances.segment(6, 3), Vector::Ones(3)) << "biases";
  EXPECT_EQ(variances.segment(9, 6), Vector::Constant(6, 1.0 / 3));
  config.prior.options["layer_scale"] = std::string("none");
  EXPECT_EQ(Start(config).covariance.diagonal(), Vector::Ones(20));
  const LearnerConfig linear = PlainConfig(2, "bernoulli");
  EXPECT_EQ(Start(linear).covariance.diagonal(), Vector::Ones(3));
}

// θ holds weights by columns: of layer 1 those of the first input come first.
const Numbers kByColumns = {0, 2, 4, 1, 3, 5, 6, 7, 8, 9, 12, 10, 13, 11, 14, 15, 16, 17, 18, 19};

TEST(ImportedPrior, IsTheMeanInOneListOrByLayers) {
  const Eigen::Map<const Vector> expected(kByColumns.data(), 20);
  const FullGaussian whole = Start(SmallMlp({{"weights", Counted(20)}}));
  EXPECT_EQ(whole.mean, expected);
  EXPECT_EQ(whole.covariance, Matrix(Matrix::Identity(20, 20)));
  EXPECT_EQ(Start(SmallMlp(ByLayers("weights", "bias"))).mean, expected);
}

TEST(ImportedPrior, VariancesAreImportedOrThoseOfThePrecisions) {
  OptionMap options = ByLayers("weights", "bias");
  options["precision"] = 4.0;
  options["bias_precision"] = 2.0;
  options["layer_scale"] = std::string("fan_in");
  Vector variances = Start(SmallMlp(options)).covariance.diagonal();
  EXPECT_EQ(variances.segment(0, 6), Vector::Constant(6, 1.0 / 8));
  EXPECT_EQ(variances.segment(6, 3), Vector::Constant(3, 1.0 / 2));
  EXPECT_EQ(variances.segment(9, 6), Vector::Constant(6, 1.0 / 12));

  const Vector expected = Eigen::Map<const Vector>(kByColumns.data(), 20).array() + 0.5;
  options = {{"weights", Counted(20)}, {"variances", Counted(20, 0.5)}};
  EXPECT_EQ(Start(SmallMlp(options)).covariance.diagonal(), expected);
  options = ByLayers("weights_variances", "bias_variances", 0.5);
  options["weights"] = Counted(20);
  EXPECT_EQ(Start(SmallMlp(options)).covariance.diagonal(), expected);
}

// The logits of the network that the numbers are of, computed by hand.
TEST(ImportedPrior, TheModelIsTheNetworkThatWasImported) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.model = {"mlp", {{"hidden", Numbers{2}}, {"activation", std::string("relu")}}};
  config.prior = {"imported", {{"weights", Numbers{1, 2, -3, 4, 0.5, -0.5, 10, 100, 7}}}};
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  Batch batch;
  batch.inputs.resize(2, 1);
  batch.inputs << 1, 2;
  Scratch scratch;
  const absl::StatusOr<Answer> out = Ask(*learner, learner->Initial(), batch, scratch);
  ASSERT_TRUE(out.ok()) << out.status();
  // z = [1 + 4 + 0.5, −3 + 8 − 0.5] = [5.5, 4.5]
  EXPECT_DOUBLE_EQ((*out)["mean"](0, 0), 10 * 5.5 + 100 * 4.5 + 7);
}

TEST(ImportedPrior, ALinearModelWithoutBiasHasOneTable) {
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.model = {"linear", {{"bias", false}}};
  config.target.width = 2;
  config.prior = {"imported", {{"layer1.weights", NumberTable{2, 3, Counted(6)}}}};
  EXPECT_EQ(Start(config).mean, (Vector(6) << 0, 3, 1, 4, 2, 5).finished());
}

TEST(ImportedPrior, TheResolvedConfigurationIsTheSamePrior) {
  const LearnerConfig config = SmallMlp(ByLayers("weights", "bias"));
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  const absl::StatusOr<Learner> again = Learner::Create(learner->config());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->config(), learner->config());
  EXPECT_EQ(learner->config().prior.options.at("layer2.weights"),
            config.prior.options.at("layer2.weights"));

  LearnerConfig other = learner->config();
  std::get<NumberTable>(other.prior.options["layer2.weights"]).numbers[3] += 1;
  EXPECT_NE(Fingerprint(other), Fingerprint(learner->config()));
  EXPECT_TRUE(again->DecodeState(learner->EncodeState(learner->Initial())).ok());
  EXPECT_FALSE(Learner::Create(other)->DecodeState(learner->EncodeState(learner->Initial())).ok());
}

struct Bad {
  OptionMap options;
  std::string field, message;
};

OptionMap With(OptionMap options, const std::string& name, OptionValue value) {
  options[name] = std::move(value);
  return options;
}
OptionMap Without(OptionMap options, const std::string& name) {
  options.erase(name);
  return options;
}
Numbers CountedBut(int size, int at, double value) {
  Numbers numbers = Counted(size, 1);
  numbers[static_cast<std::size_t>(at)] = value;
  return numbers;
}

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.field << ": " << bad.message; }

class BadPrior : public testing::TestWithParam<Bad> {};

TEST_P(BadPrior, IsRefusedByTheFieldAndWhatWouldBeRight) {
  const absl::Status status = Learner::Create(SmallMlp(GetParam().options)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "config.prior.options." + GetParam().field);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(GetParam().message));
  EXPECT_LT(status.message().size(), 300u);
}

const OptionMap kLayers = ByLayers("weights", "bias");
const OptionMap kVariances = ByLayers("weights_variances", "bias_variances", 1);

INSTANTIATE_TEST_SUITE_P(
    Means, BadPrior,
    testing::Values(
        Bad{{}, "weights", "is needed: 20 numbers"},
        Bad{{{"weights", Counted(19)}}, "weights", "must be a list of 20 numbers, got [0, 1, 2,"},
        Bad{{{"weights", Counted(5000)}}, "weights", "20 numbers, got a list of 5000 numbers"},
        Bad{{{"weights", 1.0}}, "weights", "must be a list of 20 numbers, got 1"},
        Bad{{{"weights", NumberTable{4, 5, Counted(20)}}}, "weights", "got 4 × 5 numbers"},
        Bad{{{"weights", CountedBut(20, 7, kNaN)}}, "weights[7]", "must be a number in [-1e+300, "},
        Bad{{{"weights", CountedBut(20, 19, HUGE_VAL)}}, "weights[19]", "got inf"},
        Bad{Without(kLayers, "layer2.weights"), "layer2.weights",
            "is missing: the layer has 2 × 3"},
        Bad{Without(kLayers, "layer3.bias"), "layer3.bias", "is missing: the layer has 1 biases"},
        Bad{With(kLayers, "layer2.weights", NumberTable{3, 2, Counted(6)}), "layer2.weights",
            "must be 2 × 3 numbers, got 3 × 2 numbers"},
        Bad{With(kLayers, "layer2.weights", NumberTable{2, 3, Counted(5)}), "layer2.weights",
            "must be 2 × 3 numbers"},
        Bad{With(kLayers, "layer1.weights", Counted(6)), "layer1.weights", "must be 3 × 2 numbers"},
        Bad{With(kLayers, "layer2.weights", NumberTable{2, 3, CountedBut(6, 5, -HUGE_VAL)}),
            "layer2.weights[1,2]", "got -inf"},
        Bad{With(kLayers, "layer4.bias", Counted(1)), "layer4.bias", "is not an option"},
        Bad{With(kLayers, "weights", Counted(20)), "layer1.weights",
            "is among weights as well: leave one out"}));

INSTANTIATE_TEST_SUITE_P(
    Variances, BadPrior,
    testing::Values(
        Bad{{{"weights", Counted(20)}, {"variances", Counted(20)}},
            "variances[0]",
            "must be a number in [1e-300, 1e+10], got 0"},
        Bad{{{"weights", Counted(20)}, {"variances", CountedBut(20, 3, -1)}}, "variances[3]", "-1"},
        Bad{{{"weights", Counted(20)}, {"variances", CountedBut(20, 3, kNaN)}},
            "variances[3]",
            "nan"},
        Bad{{{"weights", Counted(20)}, {"variances", Counted(21, 1)}}, "variances", "20 numbers"},
        Bad{{{"weights", Counted(20)},
             {"layer1.weights_variances", NumberTable{3, 2, Counted(6, 1)}}},
            "layer1.bias_variances",
            "is missing"},
        Bad{With(With(kVariances, "weights", Counted(20)), "layer2.weights_variances",
                 NumberTable{2, 3, CountedBut(6, 4, 0)}),
            "layer2.weights_variances[1,1]", "got 0"},
        Bad{With(With(kVariances, "weights", Counted(20)), "layer3.bias_variances", Counted(2, 1)),
            "layer3.bias_variances", "must be a list of 1 numbers"},
        Bad{With(With(kVariances, "weights", Counted(20)), "variances", Counted(20, 1)),
            "layer1.weights_variances", "is among variances as well: leave one out"},
        Bad{{{"weights", Counted(20)}, {"precision", 5e-324}},
            "precision",
            "must be a number in [1e-10, 1e+300]"},
        Bad{{{"weights", Counted(20)}, {"variances", Counted(20, 1)}, {"bias_precision", 2.0}},
            "bias_precision",
            "says nothing beside variances"}));

TEST(ImportedPrior, FactorsSayWhichLayerTheyCannotHold) {
  OptionMap options = With(kVariances, "weights", Counted(20));
  options["layer1.weights_variances"] = NumberTable{3, 2, Numbers(6, 1)};
  options["layer1.bias_variances"] = Numbers(3, 1);
  LearnerConfig config = SmallMlp(options);
  config.posterior.name = "kronecker";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 960.0}}};
  const absl::Status status = Learner::Create(config).status();
  EXPECT_EQ(FieldOf(status), "config.prior") << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("variances of layer 2 "));
}

}  // namespace
}  // namespace prequel::prior_test
