// What the parts say of themselves.
#include "core/parts/part_list.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/learner/learner.h"

namespace prequel::part_list_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const PartInfo& Part(const std::string& kind, const std::string& name) {
  for (const PartInfo& part : ListParts()) {
    if (part.kind == kind && part.name == name) return part;
  }
  ADD_FAILURE() << "no " << kind << " " << name;
  return ListParts().front();
}

const PartOption& Option(const PartInfo& part, const std::string& name) {
  for (const PartOption& option : part.options) {
    if (option.spec.name == name) return option;
  }
  ADD_FAILURE() << part.name << " has no " << name;
  return part.options.front();
}

TEST(PartListTest, EveryPartAndEveryOptionHasALineOfHelp) {
  std::set<std::string> kinds;
  for (const PartInfo& part : ListParts()) {
    kinds.insert(part.kind);
    EXPECT_FALSE(part.help.empty()) << part.kind << " " << part.name;
    std::set<std::string> names;
    for (const PartOption& option : part.options) {
      const std::string what = part.kind + " " + part.name + " " + option.spec.name;
      EXPECT_FALSE(option.spec.help.empty()) << what;
      EXPECT_FALSE(option.spec.range.empty()) << what;
      EXPECT_TRUE(names.insert(option.spec.name).second) << what << " comes twice";
    }
  }
  EXPECT_THAT(kinds, ElementsAre("calibration", "dynamics", "likelihood", "model", "posterior",
                                 "prior", "query", "robustness", "rule"));
}

TEST(PartListTest, AnOptionHasItsKindRangeAndDefault) {
  const PartOption& passes = Option(Part("rule", "rvga"), "passes");
  EXPECT_EQ(passes.spec.kind, OptionKind::kWhole);
  EXPECT_EQ(passes.spec.range, "a whole number in [1, 1000]");
  EXPECT_EQ(passes.spec.by_default, OptionValue(10.0));
  EXPECT_TRUE(passes.where.empty());
  const PartOption& noise = Option(Part("likelihood", "gaussian"), "noise");
  EXPECT_EQ(noise.spec.kind, OptionKind::kNumberOrWord);
  EXPECT_EQ(noise.spec.by_default, OptionValue(std::string("learned")));
  EXPECT_THAT(noise.spec.words, ElementsAre("learned"));
  EXPECT_EQ(Option(Part("model", "mlp"), "hidden").spec.by_default,
            OptionValue(std::vector<double>{32}));
  EXPECT_THAT(Option(Part("posterior", "diagonal"), "storage").spec.words,
              ElementsAre("float64", "float32"));
}

TEST(PartListTest, WhatIsReadOnlyWhenSomethingIsChosenSaysSo) {
  const PartInfo& vogn = Part("rule", "vogn");
  EXPECT_THAT(Option(vogn, "damping").where, ElementsAre(Pair("mode", "dataset")));
  EXPECT_THAT(Option(vogn, "milestones").where,
              ElementsAre(Pair("mode", "dataset"), Pair("schedule", "multi_step")));
  const PartOption& alpha = Option(vogn, "alpha");
  EXPECT_EQ(alpha.spec.by_default, OptionValue(0.1));
  EXPECT_THAT(alpha.otherwise, Contains(OtherDefault{{{"mode", "dataset"}}, 0.01}));
  EXPECT_TRUE(Option(vogn, "dataset_size").needed);
  EXPECT_FALSE(alpha.needed);
  // Read only where it is given.
  EXPECT_THAT(Option(Part("rule", "adam"), "schedule_steps").where,
              ElementsAre(Pair("schedule", "cosine")));
  EXPECT_EQ(Option(Part("rule", "laplace"), "map_steps").spec.kind, OptionKind::kWhole);
  EXPECT_EQ(Option(Part("prior", "imported"), "layerL.weights").spec.kind, OptionKind::kTable);
}

TEST(PartListTest, CombinationsAreThoseOfTheConcepts) {
  EXPECT_THAT(Part("rule", "conjugate").combines.at("posterior"), ElementsAre("full"));
  EXPECT_THAT(Part("posterior", "point").combines.at("rule"), ElementsAre("sgd", "adam"));
  EXPECT_THAT(Part("dynamics", "adaptive").combines.at("posterior"), Not(Contains("point")));
  EXPECT_THAT(Part("query", "quantiles").combines.at("likelihood"),
              ElementsAre("gaussian", "poisson", "negative_binomial"));
  EXPECT_TRUE(Part("query", "moments").usual);
  EXPECT_FALSE(Part("query", "interval").usual);
}

// A wrong value of every option of every rule is refused by a model with the range that is listed.
TEST(PartListTest, AModelRefusesWhatIsOutOfTheListedRange) {
  for (const PartInfo& part : ListParts()) {
    if (part.kind != "rule") continue;
    for (const PartOption& option : part.options) {
      LearnerConfig config;
      config.features.resize(1);
      config.features[0].name = "x";
      config.target.name = "y";
      config.likelihood.name = "gaussian";
      config.rule.name = part.name;
      for (const auto& [name, word] : option.where) config.rule.options[name] = word;
      for (const PartOption& other : part.options) {
        const bool applies = std::includes(option.where.begin(), option.where.end(),
                                           other.where.begin(), other.where.end());
        if (!other.needed || !applies) continue;
        if (other.spec.kind == OptionKind::kNumbers) {
          config.rule.options[other.spec.name] = std::vector<double>{10};
        } else {
          config.rule.options[other.spec.name] = 10.0;
        }
      }
      config.rule.options[option.spec.name] = NumberTable{1, 1, {0}};
      const std::string message(Learner::Create(config).status().message());
      EXPECT_THAT(message, HasSubstr("must be " + option.spec.range))
          << part.name << " " << option.spec.name;
    }
  }
}

}  // namespace
}  // namespace prequel::part_list_test
