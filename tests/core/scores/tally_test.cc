#include "core/scores/tally.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/archive/archive.h"
#include "core/distributions/student_t.h"
#include "core/scores/scoring.h"

namespace prequel::tally_test {
namespace {

void AddClassified(const Vector& probabilities, Index label, Tally& tally) {
  AddClassified(probabilities, label, std::log(probabilities[label]), tally);
}

TEST(Tally, ScoresOfValuesByHand) {
  InUnits<StudentT> d;
  d.Assign(StudentT{.location = 1, .scale = 2}, 10, 3);  // N(13, 6²)
  Tally tally(TargetKind::kValues);
  for (const double y : {13.0, 19.0, 29.0}) {  // 0, 1 and 2.67 deviations out
    tally.AddExample();
    tally.Add(ValueOutcome{d, y, 1, d.Cdf(y), d.Cdf(y)});
  }
  const Scores scores = tally.Average();
  EXPECT_EQ(scores.examples, 3);
  EXPECT_EQ(scores.size(), 9u);
  const double energy = (0 + 1 + 256.0 / 36) / 2;
  EXPECT_NEAR(scores["nll"], 0.5 * std::log(2 * M_PI * 36) + energy / 3, 1e-12);
  EXPECT_NEAR(scores["rmse"], std::sqrt((36.0 + 256) / 3), 1e-12);
  EXPECT_NEAR(scores["mae"], 22.0 / 3, 1e-12);
  EXPECT_NEAR(scores["crps"], (d.Crps(13) + d.Crps(19) + d.Crps(29)) / 3, 1e-12);
  EXPECT_NEAR(scores["coverage50"], 1.0 / 3, 1e-15);
  EXPECT_NEAR(scores["coverage90"], 2.0 / 3, 1e-15);
  EXPECT_NEAR(scores["coverage95"], 2.0 / 3, 1e-15);
  EXPECT_NEAR(scores["below05"], 0, 1e-15);
  EXPECT_NEAR(scores["above95"], 1.0 / 3, 1e-15);
  EXPECT_FALSE(scores.Has("accuracy"));
  EXPECT_TRUE(std::isnan(scores["accuracy"]));
}

// nll is the sum over outputs, the others are their mean.
TEST(Tally, OfSeveralOutputs) {
  InUnits<StudentT> d;
  d.Assign(StudentT{}, 0, 1);
  Tally two;
  two.AddExample();
  two.Add(ValueOutcome{d, 1, 0.5, d.Cdf(1), d.Cdf(1)});
  two.Add(ValueOutcome{d, 3, 0.5, d.Cdf(3), d.Cdf(3)});
  const Scores scores = two.Average();
  EXPECT_NEAR(scores["nll"], -d.LogDensity(1) - d.LogDensity(3), 1e-14);
  EXPECT_NEAR(scores["mae"], 2, 1e-14);
  EXPECT_EQ(scores.examples, 1);
}

// An example that counts twice is two that are alike.
TEST(Tally, OfWeightedExamples) {
  InUnits<StudentT> d;
  d.Assign(StudentT{}, 0, 1);
  Tally weighed, repeated;
  for (const double y : {-2.0, 0.5}) {
    const double weight = y < 0 ? 2 : 1;
    weighed.AddExample(weight);
    weighed.Add(ValueOutcome{d, y, weight, d.Cdf(y), d.Cdf(y), weight});
    for (int k = 0; k < weight; ++k) {
      repeated.AddExample();
      repeated.Add(ValueOutcome{d, y, 1, d.Cdf(y), d.Cdf(y)});
    }
  }
  const Scores want = repeated.Average(), scores = weighed.Average();
  EXPECT_EQ(scores.examples, 3);
  for (const NamedScore& score : want) EXPECT_NEAR(scores[score.name], score.value, 1e-14);
}

TEST(Tally, OfIntervalsAlone) {
  InUnits<StudentT> d;
  d.Assign(StudentT{}, 0, 1);
  Tally tally;
  tally.AddExample(Asks::kLevels);
  tally.Add(ValueOutcome{d, 0, 1, 0.8, 0.8}, Asks::kLevels);
  const Scores scores = tally.Average();
  EXPECT_EQ(scores.size(), 5u);
  EXPECT_EQ(scores.examples, 1);
  EXPECT_EQ(scores["coverage50"], 0);
  EXPECT_EQ(scores["coverage90"], 1);
}

TEST(Tally, NothingSeenHasNoScores) {
  const Scores scores = Tally(TargetKind::kClasses).Average();
  EXPECT_EQ(scores.examples, 0);
  EXPECT_EQ(scores.size(), 0u);
}

TEST(Tally, ScoresOfClassesByHand) {
  Tally tally(TargetKind::kClasses);
  AddClassified(Eigen::Vector3d(0.7, 0.2, 0.1), 0, tally);
  AddClassified(Eigen::Vector3d(0.7, 0.2, 0.1), 2, tally);
  const Scores scores = tally.Average();
  EXPECT_EQ(scores.examples, 2);
  EXPECT_DOUBLE_EQ(scores["nll"], -(std::log(0.7) + std::log(0.1)) / 2);
  EXPECT_EQ(scores["accuracy"], 0.5);
  EXPECT_DOUBLE_EQ(scores["brier"], ((0.09 + 0.04 + 0.01) + (0.49 + 0.04 + 0.81)) / 2);
  EXPECT_NEAR(scores["ece"], 0.2, 1e-15);  // confidence 0.7, right half of the time
  EXPECT_FALSE(scores.Has("rmse"));
}

// Of classes that are equally probable the first is predicted, as `prequel predict` shows it.
TEST(Tally, TheFirstOfEqualsIsPredicted) {
  for (const Index label : {0, 1, 2}) {
    Tally tally(TargetKind::kClasses);
    AddClassified(Eigen::Vector3d(0.2, 0.4, 0.4), label, tally);
    EXPECT_EQ(tally.Average()["accuracy"], label == 1 ? 1 : 0) << label;
  }
}

TEST(Tally, FullConfidenceFallsIntoTheLastBin) {
  Tally tally(TargetKind::kClasses);
  AddClassified(Eigen::Vector2d(1e-300, 1), 0, tally);
  EXPECT_EQ(tally.Average()["ece"], 1);
}

TEST(Tally, ErrorsOfOppositeSignInDifferentBinsDoNotCancel) {
  Tally tally(TargetKind::kClasses);
  AddClassified(Eigen::Vector2d(0.6, 0.4), 0, tally);
  AddClassified(Eigen::Vector2d(0.9, 0.1), 1, tally);
  EXPECT_NEAR(tally.Average()["ece"], (0.4 + 0.9) / 2, 1e-15);
}

// Every sum is in the bytes, under the score's name.
TEST(Tally, IsArchivedByName) {
  Tally tally(TargetKind::kClasses);
  AddClassified(Eigen::Vector3d(0.7, 0.2, 0.1), 0, tally);
  AddClassified(Eigen::Vector3d(0.1, 0.2, 0.7), 0, tally);
  const std::string bytes = ToArchive(tally);
  for (const Score& score : ScoresOf(TargetKind::kClasses)) {
    EXPECT_NE(bytes.find(std::string(score.name)), std::string::npos);
  }
  Tally read;
  ASSERT_TRUE(FromArchive(bytes, read).ok());
  EXPECT_EQ(read.kind(), TargetKind::kClasses);
  EXPECT_EQ(ToArchive(read), bytes);
  const Scores want = tally.Average(), got = read.Average();
  for (const NamedScore& score : want) EXPECT_EQ(got[score.name], score.value) << score.name;
}

// A score of another build's is left out; one that build did not have begins here.
TEST(Tally, ScoresOfOtherBuildsDoNotSpoilIt) {
  ArchiveWriter other;
  other.Value("classes", true);
  other.Value("weight", 5.0);
  other.Value("scores", std::uint64_t{2});
  other.Value("name", std::string("novelty"));
  other.Value("numbers", std::vector<double>{5, 1, 2, 3});
  other.Value("name", std::string("nll"));
  other.Value("numbers", std::vector<double>{5, 10});
  Tally read;
  ASSERT_TRUE(FromArchive(std::move(other).Take(), read).ok());
  AddClassified(Eigen::Vector2d(1, 0), 0, read);
  const Scores scores = read.Average();
  EXPECT_EQ(scores.examples, 6);
  EXPECT_EQ(scores["nll"], 10.0 / 6);
  EXPECT_EQ(scores["accuracy"], 1);
}

}  // namespace
}  // namespace prequel::tally_test
