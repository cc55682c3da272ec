// Compares the estimate of what a model takes with the memory that it really takes, by glibc's own
// count of what is allocated.
#include "core/learner/planning/footprint.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel::footprint_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsBytes = false;  // the sanitizers own malloc
#else
constexpr bool kCountsBytes = true;
#endif

double BytesHeld() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

struct Case {
  std::string name;
  LearnerConfig config;
  std::string likelihood;
};

Index InputsOf(const Case& c) { return c.config.features.front().width; }

// Large enough that what every model has counts for little, and learned in a moment.
LearnerConfig ConfigOf(const std::string& model, const std::string& likelihood,
                       const std::string& posterior) {
  const bool vectors = posterior == "diagonal" || posterior == "point";
  const bool dense = !vectors && posterior != "low_rank" && posterior != "kronecker";
  const bool linear = model == "linear";
  LearnerConfig config = PlainConfig(linear ? (dense ? 250 : 1000) : 30, likelihood);
  config.model.name = model;
  config.posterior.name = posterior;
  if (likelihood == "categorical") config.target.num_classes = 3;
  if (linear) return config;
  const double hidden = posterior == "last_layer" || posterior == "low_rank_hidden" ? 150
                        : posterior == "per_unit"                                   ? 60
                        : dense                                                     ? 12
                                                                                    : 200;
  config.model.options["hidden"] = std::vector<double>{hidden};
  config.prior.options["layer_scale"] = std::string("none");  // under which every rule converges
  return config;
}

std::vector<Case> CasesOfRules() {
  std::vector<Case> cases;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    if (rule.name.starts_with("laplace")) continue;  // has not yet the curvature that it will have
    for (const std::string& posterior : rule.posteriors) {
      for (const char* model : {"linear", "mlp"}) {
        if (!rule.model.empty() && rule.model != model) continue;
        if (posterior == "kronecker" && std::string(model) == "linear") continue;
        const std::string likelihood = rule.likelihood.empty() ? "gaussian" : rule.likelihood;
        Case c{absl::StrCat(model, "_", posterior, "_", rule.name),
               ConfigOf(model, likelihood, posterior), likelihood};
        c.config.rule = rule.rule;
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

// Models as they are when nothing is said of their parts.
std::vector<Case> CasesByDefault() {
  std::vector<Case> cases;
  for (const std::string& likelihood : LikelihoodNames()) {
    for (const char* model : {"linear", "mlp"}) {
      for (const Index inputs : {50, 400}) {
        Case c{absl::StrCat("default_", model, "_", likelihood, "_", inputs), {}, likelihood};
        c.config.features = {{.name = "x", .width = inputs}};
        c.config.target.name = "y";
        if (likelihood == "categorical") c.config.target.num_classes = 3;
        c.config.likelihood.name = likelihood;
        c.config.model.name = model;
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

std::vector<Case> CasesOfOptions() {
  std::vector<Case> cases;
  Case floats{"float32", ConfigOf("mlp", "bernoulli", "diagonal"), "bernoulli"};
  floats.config.posterior.options["storage"] = std::string("float32");
  floats.config.rule = {"ivon", InDataset({})};
  cases.push_back(floats);
  Case columns{"columns", {}, "gaussian"};
  for (int i = 0; i < 2000; ++i) columns.config.features.push_back({.name = absl::StrCat("c", i)});
  columns.config.target.name = "y";
  columns.config.likelihood.name = "gaussian";
  cases.push_back(columns);
  return cases;
}

struct Measured {
  double state = 0, made = 0, scratch = 0;
};

Measured Measure(const Case& c) {
  Measured measured;
  const Index inputs = c.name == "columns" ? 2000 : InputsOf(c);
  std::vector<Batch> batches;
  for (std::uint64_t t = 0; t < 2; ++t) batches.push_back(BatchFor(c.likelihood, inputs, 64, t));
  const double before = BytesHeld();
  const absl::StatusOr<Learner> learner = Learner::Create(c.config);
  EXPECT_TRUE(learner.ok()) << learner.status();
  if (!learner.ok()) return measured;
  measured.made = BytesHeld() - before;
  LearnerState state = learner->Initial(), next = learner->Initial();
  double with_scratch = 0;
  {
    Scratch scratch;
    for (const Batch& batch : batches) {
      if (learner->Update(state, batch, scratch, next).ok()) std::swap(state, next);
    }
    with_scratch = BytesHeld();
  }
  measured.scratch = with_scratch - BytesHeld();
  measured.state = (BytesHeld() - before - measured.made) / 2;
  return measured;
}

// What was measured may have a little of its own, of any model.
void ExpectNear(double estimate, double real, double factor, const char* of) {
  constexpr double kAny = 6000;
  EXPECT_GE(estimate, (real - kAny) / factor) << of << " takes " << real;
  EXPECT_LE(estimate, (real + kAny) * factor) << of << " takes " << real;
}

void ExpectThatOfTheModels(const std::vector<Case>& cases) {
  if (!kCountsBytes) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    (void)Measure(c);  // makes tables that are made once in a program
    const Measured real = Measure(c);
    const Footprint footprint = ModelCost::Of(c.config)->footprint();
    ExpectNear(footprint.made, real.made, 1.5, "what it is made of");
    ExpectNear(footprint.state, real.state, 1.5, "a state");
    ExpectNear(footprint.scratch, real.scratch, 3, "scratch");
  }
}

TEST(FootprintTest, IsThatOfModelsOfEachRule) { ExpectThatOfTheModels(CasesOfRules()); }
TEST(FootprintTest, IsThatOfModelsAsTheyAreByDefault) { ExpectThatOfTheModels(CasesByDefault()); }
TEST(FootprintTest, IsThatOfModelsOfOtherOptions) { ExpectThatOfTheModels(CasesOfOptions()); }

}  // namespace
}  // namespace prequel::footprint_test
