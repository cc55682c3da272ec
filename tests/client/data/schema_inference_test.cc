#include "client/data/schema_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_join.h"
#include "tests/client/temporary_file.h"

namespace prequel::client::schema_inference_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_EQ(feature(257).max_categories(), 256);
  EXPECT_EQ(feature(257).hash_buckets(), 64);
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

TEST(SchemaInferenceTest, SeveralTargets) {
  const std::string file = "y1,x,y2\n1,2,3\n4,5,\n6,7,8.5\n";
  const auto schema = Infer(file, {.target = "y1,y2"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->config.target().name(), "y1,y2");
  EXPECT_EQ(schema->config.target().width(), 2);
  EXPECT_TRUE(schema->config.target().allow_missing());
  EXPECT_EQ(schema->config.features_size(), 1);
  EXPECT_EQ(LikelihoodOf(schema), "gaussian");
  EXPECT_THAT(schema->notes, Contains("targets 'y1,y2': likelihood gaussian"));
  EXPECT_THAT(std::string(Infer(file, {.target = "y1,z"}).status().message()),
              HasSubstr("no column 'z'"));
  EXPECT_THAT(std::string(Infer("a,b\n1,p\n", {.target = "a,b"}).status().message()),
              HasSubstr("the target 'b' has 'p' in line 2, which is no number"));
  EXPECT_THAT(
      std::string(Infer(file, {.target = "y1,y2", .likelihood = "bernoulli"}).status().message()),
      HasSubstr("classes are of one column"));
}

std::vector<std::string> NotesOf(const std::string& content) {
  const auto schema = Infer(content);
  EXPECT_TRUE(schema.ok()) << schema.status();
  return schema.ok() ? schema->notes : std::vector<std::string>();
}

TEST(SchemaInferenceTest, NumbersThatMayNotBeMeantAsNumbersAreNoted) {
  EXPECT_THAT(NotesOf("zip,y\n1234,0.5\n01234,1.5\n"),
              Contains(HasSubstr("column 'zip' has numbers with zeros before them, such as '01234' "
                                 "(line 3), and is taken for numbers; --text takes it for text")));
  EXPECT_THAT(NotesOf("id,y\n9007199254740993,0.5\n1,1.5\n"),
              Contains(HasSubstr("column 'id' has integers beyond 2^53, such as "
                                 "'9007199254740993' (line 2), which numbers do not tell apart; "
                                 "--text takes it for text")));
  EXPECT_THAT(NotesOf("d,y\n20260131,0.5\n20260228,1.5\n"),
              Contains(HasSubstr("column 'd' has numbers that look like dates, such as '20260131' "
                                 "(line 2)")));
  for (const char* plain : {"d,y\n20260131,0.5\n20261328,1.5\n", "d,y\n0,0.5\n10,1.5\n",
                            "d,y\n0.5,0.5\n-0.25,1.5\n", "d,y\n9007199254740992,0.5\n1,1.5\n"}) {
    for (const std::string& note : NotesOf(plain)) EXPECT_THAT(note, Not(HasSubstr("such as")));
  }
}

TEST(SchemaInferenceTest, MonthsAreNoted) {
  EXPECT_THAT(NotesOf("m,y\n2026-01,0.5\n2025-12,1.5\n"),
              Contains(HasSubstr("column 'm' has months such as '2026-01', and is taken for text: "
                                 "each month that is new is a new category; with a day, as "
                                 "2024-01-31, they are dates")));
  for (const char* plain : {"m,y\n2026-01,0.5\n2026-13,1.5\n", "m,y\n2026-1,0.5\n2026-2,1.5\n",
                            "m,y\n0026-01,0.5\n0026-02,1.5\n", "m,y\na,0.5\nb,1.5\n"}) {
    EXPECT_THAT(NotesOf(plain), Not(Contains(HasSubstr("months")))) << plain;
  }
}

TEST(SchemaInferenceTest, OffsetsThatDifferAreNoted) {
  EXPECT_THAT(NotesOf("t,y\n2026-10-25T02:30:00+02:00,0.5\n2026-10-25T02:30:00+01:00,1.5\n"),
              Contains(HasSubstr("its offsets differ ('2026-10-25T02:30:00+01:00' in line 3): as "
                                 "an input it is read by the clock on the wall, and as --time by "
                                 "instants")));
  EXPECT_THAT(NotesOf("t,y\n2026-10-25T02:30:00Z,0.5\n2026-10-25T03:30:00+00:00,1.5\n"),
              Not(Contains(HasSubstr("offsets"))));
}

TEST(SchemaInferenceTest, RowsOfCommasAndLabelsThatAreMissingAreCounted) {
  EXPECT_THAT(
      NotesOf("a,b,y\n1,2,0.5\n,,\n3,4,1.5\n ,,\n"),
      Contains(HasSubstr("nothing is in any cell of 2 rows, the first in line 3: such rows")));
  EXPECT_THAT(NotesOf("a,y\n1,EU\n2,NA\n3,US\n4,NA\n"),
              Contains(HasSubstr("'NA' (2 rows, the first in line 3) means not known, unless "
                                 "--labels lists it")));
}

TEST(SchemaInferenceTest, IntegersThatDoublesDoNotTellApartAreDifferentLabels) {
  const auto schema =
      Infer("x,y\n1,9007199254740992\n2,9007199254740993\n", {.likelihood = "bernoulli"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->config.target().labels(),
              ElementsAre("9007199254740992", "9007199254740993"));
}

}  // namespace
}  // namespace prequel::client::schema_inference_test
