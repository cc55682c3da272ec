#include "client/data/schema_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_join.h"
#include "tests/client/temporary_file.h"

namespace prequel::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<InferredSchema> Infer(const std::string& content, InferenceOptions options = {}) {
  const TemporaryFile file(content);
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(file.path());
  if (!reader.ok()) return reader.status();
  if (options.target.empty()) options.target = "y";
  return InferSchema(**reader, options);
}

// One numeric input and the given targets, each `repeat` times.
absl::StatusOr<InferredSchema> InferTargets(const std::vector<std::string>& targets,
                                            int repeat = 1) {
  std::string content = "x,y\n";
  for (int i = 0; i < repeat; ++i) {
    for (const std::string& target : targets) content += "1," + target + "\n";
  }
  return Infer(content);
}

std::string LikelihoodOf(const absl::StatusOr<InferredSchema>& schema) {
  return schema.ok() ? schema->config.likelihood().name() : schema.status().ToString();
}

TEST(SchemaInferenceTest, KindsAndMissingValues) {
  const auto schema = Infer("n,t,m,e,y\n1,NW,1,,0.5\n2.5,SE,,,0.25\n-1e3,3,4,,7.125\n");
  ASSERT_TRUE(schema.ok()) << schema.status();
  ASSERT_EQ(schema->config.features_size(), 3);
  EXPECT_EQ(schema->config.features(0).name(), "n");
  EXPECT_EQ(schema->config.features(0).kind(), v1::Feature::KIND_NUMERIC);
  EXPECT_FALSE(schema->config.features(0).allow_missing());
  EXPECT_EQ(schema->config.features(1).kind(), v1::Feature::KIND_CATEGORICAL);
  EXPECT_TRUE(schema->config.features(2).allow_missing());
  EXPECT_EQ(schema->rows, 3);
  EXPECT_THAT(schema->notes, Contains(HasSubstr("'e' is always empty")));
  EXPECT_EQ(schema->config.target().name(), "y");
}

TEST(SchemaInferenceTest, AsManySlotsAsTextsAndAFewMoreThenHashing) {
  const auto feature = [](int distinct, const std::string& more = "") {
    std::string content = "t,y\n" + more;
    for (int i = 0; i < distinct; ++i) content += "c" + std::to_string(i) + ",0.5\n";
    const auto schema = Infer(content);
    EXPECT_TRUE(schema.ok()) << schema.status();
    return schema->config.features(0);
  };
  EXPECT_EQ(feature(1).max_categories(), 3);
  EXPECT_EQ(feature(1, ",0.5\n").max_categories(), 4) << "no text is a text, too";
  EXPECT_EQ(feature(20).max_categories(), 22);
  EXPECT_EQ(feature(100).max_categories(), 112);
  EXPECT_EQ(feature(250).max_categories(), 256);
  EXPECT_EQ(feature(256).max_categories(), 256);
  EXPECT_EQ(feature(256).hash_buckets(), 0);
  EXPECT_EQ(feature(257).max_categories(), 0);
  EXPECT_EQ(feature(257).hash_buckets(), 256);
}

TEST(SchemaInferenceTest, LikelihoodFollowsTheTarget) {
  EXPECT_EQ(LikelihoodOf(InferTargets({"0", "1"})), "bernoulli");
  EXPECT_EQ(LikelihoodOf(InferTargets({"0.0", "1.0"})), "bernoulli");
  EXPECT_EQ(LikelihoodOf(InferTargets({"up", "down"})), "bernoulli");
  EXPECT_EQ(LikelihoodOf(InferTargets({"a", "b", "c"})), "categorical");
  EXPECT_EQ(LikelihoodOf(InferTargets({"0", "1", "2"}, 5)), "categorical");
  EXPECT_EQ(LikelihoodOf(InferTargets({"0", "1", "2"}, 4)), "gaussian");
  EXPECT_EQ(LikelihoodOf(InferTargets({"0.5", "1", "2"}, 50)), "gaussian");
  std::vector<std::string> many;
  for (int i = 0; i < 21; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(LikelihoodOf(InferTargets(many, 50)), "gaussian");
}

TEST(SchemaInferenceTest, ClassesByNumberOrByLabel) {
  EXPECT_TRUE(InferTargets({"1", "0"})->config.target().labels().empty());
  EXPECT_EQ(InferTargets({"1", "0"})->config.target().num_classes(), 0);
  EXPECT_EQ(InferTargets({"2", "0", "1"}, 5)->config.target().num_classes(), 3);
  EXPECT_THAT(InferTargets({"up", "down"})->config.target().labels(), ElementsAre("down", "up"));
  EXPECT_THAT(InferTargets({"10", "9", "-1"}, 5)->config.target().labels(),
              ElementsAre("-1", "9", "10"));
}

TEST(SchemaInferenceTest, ChosenLikelihoodWins) {
  InferenceOptions gaussian{.target = "y", .likelihood = "gaussian"};
  const auto regression = Infer("x,y\n1,0\n1,1\n", gaussian);
  ASSERT_TRUE(regression.ok()) << regression.status();
  EXPECT_EQ(LikelihoodOf(regression), "gaussian");
  EXPECT_EQ(regression->config.target().num_classes(), 0);
}

// Cubes over a hundred: whole, skewed, and far more varied than Poisson's.
TEST(SchemaInferenceTest, OverdispersedCountsAreLearnedAsCounts) {
  std::vector<std::string> counts, years;
  for (int i = 0; i < 60; ++i) {
    counts.push_back(std::to_string(i * i * i / 100));
    years.push_back(std::to_string(1960 + i));
  }
  const auto schema = InferTargets(counts);
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(LikelihoodOf(schema), "negative_binomial");
  ASSERT_FALSE(schema->notes.empty());
  const std::string note = absl::StrJoin(schema->notes, "\n");
  EXPECT_THAT(note, HasSubstr("likelihood negative_binomial, since they look like counts"));
  EXPECT_THAT(note, HasSubstr("--likelihood gaussian"));
  EXPECT_EQ(LikelihoodOf(InferTargets(years)), "gaussian");
}

TEST(SchemaInferenceTest, BlankTargetsAllowMissing) {
  EXPECT_TRUE(Infer("x,y\n1,\n1,0.5\n")->config.target().allow_missing());
  EXPECT_FALSE(Infer("x,y\n1,1\n1,0.5\n")->config.target().allow_missing());
}

TEST(SchemaInferenceTest, InputsAndIgnore) {
  const auto only = Infer("a,b,y\n1,2,0.5\n", {.target = "y", .inputs = {"b"}});
  ASSERT_EQ(only->config.features_size(), 1);
  EXPECT_EQ(only->config.features(0).name(), "b");
  const auto without = Infer("a,b,y\n1,2,0.5\n", {.target = "y", .ignore = {"b"}});
  ASSERT_EQ(without->config.features_size(), 1);
  EXPECT_EQ(without->config.features(0).name(), "a");
}

TEST(SchemaInferenceTest, ClearErrors) {
  const auto message = [](const auto& schema) { return std::string(schema.status().message()); };
  EXPECT_THAT(message(Infer("x,y\n")), HasSubstr("a header and no rows"));
  EXPECT_THAT(message(Infer("xx,target\n1,2\n", {.target = "targt"})),
              HasSubstr("did you mean 'target'?"));
  EXPECT_THAT(message(Infer("x,y\n1,a\n2,a\n")), HasSubstr("one value in every row"));
  EXPECT_THAT(message(Infer("x,y\n1,EU\n2,NA\n")),
              HasSubstr("'EU'; 'NA' (line 3) means not known, unless --labels lists it"));
  EXPECT_THAT(message(Infer("x,y\n1,\n2,\n")), HasSubstr("no value in any row"));
  EXPECT_THAT(message(Infer("y\n1\n2\n")), HasSubstr("no input column is left"));
  std::vector<std::string> texts;
  for (int i = 0; i < 101; ++i) texts.push_back("t" + std::to_string(i));
  EXPECT_THAT(message(InferTargets(texts)), HasSubstr("more than 100 distinct values"));
}

}  // namespace
}  // namespace prequel::client
