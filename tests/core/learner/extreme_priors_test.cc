// Priors at the ends of what is admitted, and beyond.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"
#include "tests/core/streams.h"

namespace prequel::extreme_priors_test {
namespace {

LearnerConfig OfShape(double shape) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise_shape"] = shape;
  return config;
}

// The first row is predicted by noise of which nothing is known but its prior.
TEST(ExtremePriors, NoiseOfWhichTheFirstPredictionHasNoCrpsIsRefused) {
  for (const double shape : {0.1, 0.5}) {
    EXPECT_EQ(FieldOf(Learner::Create(OfShape(shape)).status()),
              "config.likelihood.options.noise_shape");
  }
  const Learner learner = Learner::Create(OfShape(0.51)).value();
  LearnerState next;
  Scratch scratch;
  const absl::StatusOr<Learned> learned =
      learner.Update(learner.Initial(), LinearBatch(2, 1, 0), scratch, next);
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_TRUE(std::isfinite(learned->scores["crps"]));
}

TEST(ExtremePriors, NothingIsAskedOfThePriorOfNoiseThatIsKnown) {
  LearnerConfig config = OfShape(0.1);
  config.likelihood.options["noise"] = 1.0;
  EXPECT_TRUE(Learner::Create(config).ok());
}

// Of a linear model of two inputs, whose weights are three.
struct Extreme {
  std::string part, option;
  OptionValue admitted, refused;
  std::string field = "";  // of what is refused, behind the option
};

LearnerConfig With(const std::string& likelihood, const Extreme& of, const OptionValue& value) {
  LearnerConfig config = PlainConfig(2, likelihood);
  ComponentConfig& part = of.part == "prior" ? config.prior : config.likelihood;
  if (of.option.ends_with("variances")) {
    part = {"imported", {{"weights", std::vector<double>(3)}}};
  }
  if (of.option == "layer1.weights_variances") {
    part.options["layer1.bias_variances"] = std::vector<double>{1};
  }
  part.options[of.option] = value;
  return config;
}

std::vector<Extreme> Extremes() {
  return {
      {"prior", "precision", 1e-10, 1e-11},
      {"prior", "bias_precision", 1e-10, 1e-100},
      {"prior", "variances", std::vector<double>{1, 1e10, 1}, std::vector<double>{1, 1e10, 1e11},
       "[2]"},
      {"prior", "layer1.weights_variances", NumberTable{1, 2, {1e10, 1}},
       NumberTable{1, 2, {1, 1e11}}, "[0,1]"},
      {"likelihood", "noise_shape", 1e10, 1e11},
      {"likelihood", "noise_rate", 1e-12, 1e-13},
  };
}

TEST(ExtremePriors, WhatLeavesNoDigitsForWhatIsLearnedIsRefused) {
  for (const Extreme& of : Extremes()) {
    const absl::Status status = Learner::Create(With("gaussian", of, of.refused)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << of.option;
    EXPECT_EQ(FieldOf(status), "config." + of.part + ".options." + of.option + of.field);
  }
}

// Those that the usual rule updates.
std::vector<std::string> Posteriors() {
  std::vector<std::string> names;
  [&]<class... Qs>(const std::variant<Qs...>*) {
    const auto add = [&]<class Q>(const Q*) {
      if constexpr (Updates<Rvga, Q>) names.emplace_back(Q::kName);
    };
    (add(static_cast<const Qs*>(nullptr)), ...);
  }(static_cast<const Posterior*>(nullptr));
  return names;
}

TEST(ExtremePriors, WhatIsAdmittedIsLearned) {
  for (const Extreme& of : Extremes()) {
    for (const std::string& likelihood : LikelihoodNames()) {
      if (of.part == "likelihood" && likelihood != "gaussian") continue;
      if (of.option.ends_with("variances") && likelihood == "categorical")
        continue;  // of 9 weights
      for (const std::string& posterior : Posteriors()) {
        LearnerConfig config = With(likelihood, of, of.admitted);
        config.posterior.name = posterior;
        if (likelihood == "categorical") config.target.num_classes = 3;
        const Learner learner = Learner::Create(config).value();
        Scratch scratch;
        LearnerState state = learner.Initial(), next;
        for (std::uint64_t step = 0; step < 3; ++step) {
          const absl::Status status =
              learner.Update(state, BatchFor(likelihood, 2, 8, step), scratch, next).status();
          EXPECT_TRUE(status.ok())
              << of.option << ", " << likelihood << ", " << posterior << ": " << status;
          std::swap(state, next);
        }
      }
    }
  }
}

}  // namespace
}  // namespace prequel::extreme_priors_test
