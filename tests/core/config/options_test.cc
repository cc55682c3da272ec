#include "core/config/options.h"

#include <limits>
#include <ostream>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace prequel::options_test {
namespace {

using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// All readers, as one imaginary rule.
struct Rule {
  bool fast = true;
  double rate = 0.5;
  double tolerance = 1e-3;
  Index passes = 10;
  std::string scheme = "implicit";
  std::vector<Index> hidden = {32};
  double noise = 0;
  std::string noise_word = "learned";

  absl::Status Configure(Options& options) {
    options.Bool("fast", &fast);
    options.Real("rate", &rate, 0, 1);
    options.Positive("tolerance", &tolerance);
    options.Integer("passes", &passes, 1, 1000);
    options.Choice("scheme", &scheme, {"implicit", "explicit"});
    options.Integers("hidden", &hidden, 1, 4096, 3);
    options.PositiveOrWord("noise", &noise, &noise_word, {"learned", "unit"}, 100);
    return options.Finish();
  }
};

absl::Status Configure(const std::map<std::string, OptionValue>& values, Rule* rule) {
  const ComponentConfig config{"rvga", values};
  Options options("config.rule", config);
  return rule->Configure(options);
}

TEST(Options, AbsentOptionsKeepDefaultsAndAreRecorded) {
  const ComponentConfig config{"rvga", {}};
  Options options("config.rule", config);
  Rule rule;
  ASSERT_TRUE(rule.Configure(options).ok());
  const std::map<std::string, OptionValue> expected = {{"fast", true},
                                                       {"rate", 0.5},
                                                       {"tolerance", 1e-3},
                                                       {"passes", 10.0},
                                                       {"scheme", std::string("implicit")},
                                                       {"hidden", Numbers{32}},
                                                       {"noise", std::string("learned")}};
  EXPECT_EQ(options.resolved(), expected);
}

TEST(Options, GivenOptionsAreReadAndRecorded) {
  const std::map<std::string, OptionValue> given = {{"fast", false},
                                                    {"rate", 1.0},
                                                    {"tolerance", 5.0},
                                                    {"passes", 1000.0},
                                                    {"scheme", std::string("explicit")},
                                                    {"hidden", Numbers{1, 2, 3}},
                                                    {"noise", 2.5}};
  const ComponentConfig config{"rvga", given};
  Options options("config.rule", config);
  Rule rule;
  ASSERT_TRUE(rule.Configure(options).ok());
  EXPECT_EQ(options.resolved(), given);
  EXPECT_FALSE(rule.fast);
  EXPECT_EQ(rule.rate, 1);
  EXPECT_EQ(rule.passes, 1000);
  EXPECT_EQ(rule.scheme, "explicit");
  EXPECT_EQ(rule.hidden, (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(rule.noise, 2.5);
  EXPECT_EQ(rule.noise_word, "");
}

TEST(Options, AWordClearsTheNumberBesideIt) {
  Rule rule;
  rule.noise = 3;
  rule.noise_word = "";
  ASSERT_TRUE(Configure({{"noise", std::string("unit")}}, &rule).ok());
  EXPECT_EQ(rule.noise, 0);
  EXPECT_EQ(rule.noise_word, "unit");
}

struct Bad {
  std::string name;
  OptionValue value;
  std::string message;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name << ": " << bad.message; }

class BadOption : public testing::TestWithParam<Bad> {};

TEST_P(BadOption, IsNamedAndExplained) {
  const Bad& bad = GetParam();
  Rule rule;
  const absl::Status status = Configure({{bad.name, bad.value}}, &rule);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "config.rule.options." + bad.name);
  EXPECT_EQ(status.message(), "config.rule.options." + bad.name + ": " + bad.message);
}

INSTANTIATE_TEST_SUITE_P(
    Options, BadOption,
    testing::Values(
        Bad{"passes", 0.0, "must be a whole number in [1, 1000], got 0"},
        Bad{"passes", 1001.0, "must be a whole number in [1, 1000], got 1001"},
        Bad{"passes", 2.5, "must be a whole number in [1, 1000], got 2.5"},
        Bad{"passes", 1e300, "must be a whole number in [1, 1000], got 1e+300"},
        Bad{"passes", kNaN, "must be a whole number in [1, 1000], got nan"},
        Bad{"passes", std::string("ten"), "must be a whole number in [1, 1000], got \"ten\""},
        Bad{"rate", 1.5, "must be a number in [0, 1], got 1.5"},
        Bad{"rate", -0.1, "must be a number in [0, 1], got -0.1"},
        Bad{"rate", kNaN, "must be a number in [0, 1], got nan"},
        Bad{"tolerance", 0.0, "must be a number > 0, got 0"},
        Bad{"tolerance", HUGE_VAL, "must be a number > 0, got inf"},
        Bad{"tolerance", true, "must be a number > 0, got true"},
        Bad{"fast", 1.0, "must be true or false, got 1"},
        Bad{"scheme", std::string("both"),
            "must be one of \"implicit\", \"explicit\", got \"both\""},
        Bad{"scheme", 1.0, "must be one of \"implicit\", \"explicit\", got 1"},
        Bad{"hidden", Numbers{8, 0},
            "must be a list of at most 3 numbers, each a whole number in [1, 4096], got [8, 0]"},
        Bad{"hidden", Numbers{1, 2, 3, 4},
            "must be a list of at most 3 numbers, each a whole number in [1, 4096], "
            "got [1, 2, 3, 4]"},
        Bad{"noise", 101.0,
            "must be a number in (0, 100] or one of \"learned\", \"unit\", got 101"},
        Bad{"noise", std::string("lerned"),
            "must be a number in (0, 100] or one of \"learned\", \"unit\", got \"lerned\""},
        Bad{"pases", 1.0,
            "is not an option of rvga; did you mean \"passes\"? It has: fast, hidden, noise, "
            "passes, rate, scheme, tolerance"},
        Bad{"passion", 1.0,
            "is not an option of rvga. It has: fast, hidden, noise, passes, rate, scheme, "
            "tolerance"},
        Bad{"passes" + std::string(1'000'000, 's'), 1.0,
            "is not an option of rvga. It has: fast, hidden, noise, passes, rate, scheme, "
            "tolerance"},
        Bad{"zebra", 1.0,
            "is not an option of rvga. It has: fast, hidden, noise, passes, rate, scheme, "
            "tolerance"}));

TEST(Options, AFailureLeavesTheDefault) {
  Rule rule;
  EXPECT_FALSE(Configure({{"passes", 0.0}, {"scheme", std::string("both")}}, &rule).ok());
  EXPECT_EQ(rule.passes, 10);
  EXPECT_EQ(rule.scheme, "implicit");
}

TEST(Options, TheFirstFailureIsKept) {
  Rule rule;
  const absl::Status status = Configure({{"passes", 0.0}, {"fast", 3.0}, {"zzz", 1.0}}, &rule);
  EXPECT_EQ(FieldOf(status), "config.rule.options.fast");
}

TEST(Options, UnknownOptionOfAComponentWithoutOptions) {
  const ComponentConfig config{"linear", {{"bias", true}}};
  Options options("config.model", config);
  const absl::Status status = options.Finish();
  EXPECT_EQ(FieldOf(status), "config.model.options.bias");
  EXPECT_EQ(status.message(),
            "config.model.options.bias: is not an option of linear, which has none");
}

TEST(Options, APartChosenByDefaultIsNamedToo) {
  LearnerConfig config;
  config.features.resize(1);
  config.likelihood.name = "gaussian";
  config.model.options["hidden"] = Numbers{3};
  EXPECT_THAT(std::string(Learner::Create(config).status().message()),
              ::testing::HasSubstr("is not an option of linear"));
}

TEST(Options, HasAndFail) {
  const ComponentConfig config{"rvga", {{"passes", 3.0}}};
  Options options("config.rule", config);
  EXPECT_TRUE(options.Has("passes"));
  EXPECT_FALSE(options.Has("rate"));
  options.Fail("passes", "must be 1 for the explicit scheme");
  EXPECT_EQ(options.Finish().message(),
            "config.rule.options.passes: must be 1 for the explicit scheme");
}

}  // namespace
}  // namespace prequel::options_test
