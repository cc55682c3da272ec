#include "client/data/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "client/random.h"

namespace prequel::client::generate_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ExampleStream Make(const std::string& kind, const GenerateOptions& options = {}) {
  absl::StatusOr<ExampleStream> stream = MakeStream(kind, options);
  EXPECT_TRUE(stream.ok()) << stream.status();
  return *std::move(stream);
}

TEST(RandomTest, ScatterIsSplitMix64) {
  // The reference generator's first outputs for seed 0: its state advances by the same constant.
  EXPECT_EQ(Scatter(0), 0xE220A8397B1DCDAF);
  EXPECT_EQ(Scatter(0x9E3779B97F4A7C15), 0x6E789E6AA1B965F4);
}

TEST(RandomTest, UniformsAndNormalsHaveTheirMoments) {
  double uniform = 0, normal = 0, squares = 0, fourths = 0;
  constexpr int kRows = 200'000;
  for (int r = 0; r < kRows; ++r) {
    RowStream stream(3, static_cast<std::uint64_t>(r));
    uniform += stream.Uniform() / kRows;
    const double z = stream.Normal();
    normal += z / kRows;
    squares += z * z / kRows;
    fourths += z * z * z * z / kRows;
  }
  EXPECT_NEAR(uniform, 0.5, 0.003);
  EXPECT_NEAR(normal, 0, 0.01);
  EXPECT_NEAR(squares, 1, 0.015);
  EXPECT_NEAR(fourths, 3, 0.15);
}

// A change of these numbers is a change of every published stream.
TEST(GenerateTest, KnownAnswers) {
  const std::vector<double> moons = Make("moons", {.seed = 1}).row(0);
  ASSERT_EQ(moons.size(), 3);
  EXPECT_NEAR(moons[0], 0.02823163334, 1e-9);
  EXPECT_NEAR(moons[1], 0.9803032332, 1e-9);
  EXPECT_EQ(moons[2], 0);
}

TEST(GenerateTest, RowsDependOnSeedAndRowAlone) {
  for (const StreamKind& kind : StreamKinds()) {
    const ExampleStream a = Make(kind.name, {.seed = 5});
    const ExampleStream b = Make(kind.name, {.seed = 5});
    const ExampleStream other = Make(kind.name, {.seed = 6});
    const std::vector<double> later = a.row(100);
    EXPECT_NE(a.row(101), later) << kind.name;
    EXPECT_EQ(b.row(100), later) << kind.name;
    EXPECT_NE(other.row(100), later) << kind.name;
    EXPECT_EQ(later.size(), a.columns.size()) << kind.name;
    EXPECT_EQ(a.columns.back(), "y") << kind.name;
  }
}

TEST(GenerateTest, MoonsAreHalfCirclesWithThirtyTwoOfEachClassInEverySixtyFour) {
  const ExampleStream stream = Make("moons", {.seed = 2, .noise = 0});
  EXPECT_THAT(stream.columns, ElementsAre("x1", "x2", "y"));
  int lower = 0;
  for (std::int64_t r = 640; r < 704; ++r) {
    const std::vector<double> row = stream.row(r);
    const bool is_lower = row[2] == 1;
    lower += is_lower ? 1 : 0;
    const double x = is_lower ? 1 - row[0] : row[0];
    const double y = is_lower ? 0.5 - row[1] : row[1];
    EXPECT_NEAR(std::hypot(x, y), 1, 1e-12);
    EXPECT_GE(y, 0);
  }
  EXPECT_EQ(lower, 32);
}

TEST(GenerateTest, MoonsNoiseHasTheStandardDeviationAskedFor) {
  const ExampleStream clean = Make("moons", {.seed = 2, .noise = 0});
  const ExampleStream noisy = Make("moons", {.seed = 2});
  double squares = 0;
  constexpr int kRows = 20'000;
  for (std::int64_t r = 0; r < kRows; ++r) {
    squares += std::pow(noisy.row(r)[0] - clean.row(r)[0], 2) / kRows;
  }
  EXPECT_NEAR(std::sqrt(squares), 0.2, 0.005);
}

TEST(GenerateTest, BlobsUseEveryClass) {
  const ExampleStream stream = Make("blobs", {.seed = 1, .inputs = 3, .classes = 5});
  EXPECT_EQ(stream.columns.size(), 4);
  std::set<double> classes;
  for (std::int64_t r = 0; r < 200; ++r) classes.insert(stream.row(r).back());
  EXPECT_THAT(classes, ElementsAre(0, 1, 2, 3, 4));
}

TEST(GenerateTest, PoissonCountsAreCounts) {
  const ExampleStream stream = Make("poisson", {.seed = 1});
  double largest = 0;
  for (std::int64_t r = 0; r < 500; ++r) {
    const double y = stream.row(r).back();
    EXPECT_EQ(y, std::floor(y));
    EXPECT_GE(y, 0);
    largest = std::max(largest, y);
  }
  EXPECT_GT(largest, 1);
}

TEST(GenerateTest, LinearNoiseIsAdditive) {
  const ExampleStream clean = Make("linear", {.seed = 4, .noise = 0});
  const ExampleStream noisy = Make("linear", {.seed = 4, .noise = 1});
  EXPECT_EQ(clean.row(9)[0], noisy.row(9)[0]);
  EXPECT_NE(clean.row(9).back(), noisy.row(9).back());
}

TEST(GenerateTest, DriftTurnsHalfwayThroughItsPeriod) {
  const ExampleStream stream = Make("drift", {.seed = 1, .noise = 0.0, .period = 1'000'000});
  for (std::int64_t r = 0; r < 50; ++r) {
    const std::vector<double> row = stream.row(r);
    EXPECT_EQ(row[2] == 1, row[0] > 0);
    const std::vector<double> later = stream.row(500'000 + r);
    EXPECT_EQ(later[2] == 1, later[0] < 0);
  }
}

TEST(GenerateTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(std::string(MakeStream("moon", {}).status().message()),
              HasSubstr("did you mean 'moons'?"));
  EXPECT_THAT(std::string(MakeStream("zebra", {}).status().message()),
              HasSubstr("no stream 'zebra'; there are moons"));
  EXPECT_FALSE(MakeStream("moons", {.noise = -1}).ok());
  EXPECT_FALSE(MakeStream("drift", {.noise = 1.5}).ok());
  EXPECT_FALSE(MakeStream("blobs", {.classes = 1}).ok());
  EXPECT_FALSE(MakeStream("drift", {.period = 0}).ok());
}

}  // namespace
}  // namespace prequel::client::generate_test
