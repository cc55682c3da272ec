// Models of every kind share one scratch, as they do on a server, and learn and answer to the bit
// what each of them does alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel::shared_scratch_test {
namespace {

constexpr Index kInputs = 3;
constexpr std::uint64_t kSteps = 2;

struct Member {
  std::string name;
  std::string likelihood;
  Learner learner;
};

// Adds the model, unless its parts cannot be combined.
void Add(std::string name, LearnerConfig config, std::vector<Member>& all) {
  if (config.likelihood.name == "categorical") config.target.num_classes = 3;
  config.target.allow_missing = true;
  if (config.model.name == "mlp") config.model.options["hidden"] = std::vector<double>{4};
  absl::StatusOr<Learner> learner = Learner::Create(config);
  if (!learner.ok()) return;
  all.push_back({std::move(name), config.likelihood.name, *std::move(learner)});
}

LearnerConfig ConfigOf(const std::string& model, const std::string& likelihood) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  config.standardize_inputs = Standardize::kDefault;
  config.standardize_targets = Standardize::kDefault;
  config.model.name = model;
  return config;
}

// Every rule with every posterior that it updates, in turns with each model and likelihood.
void AddRules(std::vector<Member>& all) {
  const std::vector<std::string> likelihoods = LikelihoodNames();
  std::size_t turn = 0;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    for (const std::string& posterior : rule.posteriors) {
      const std::string model = !rule.model.empty() ? rule.model : turn % 2 == 0 ? "mlp" : "linear";
      const std::string likelihood =
          rule.likelihood.empty() ? likelihoods[turn % likelihoods.size()] : rule.likelihood;
      ++turn;
      LearnerConfig config = ConfigOf(model, likelihood);
      config.posterior.name = posterior;
      config.rule = rule.rule;
      Add(absl::StrCat(rule.name, " ", posterior, " ", model, " ", likelihood), config, all);
    }
  }
}

// The default of every likelihood and its like: how the world moves, how rows are weighed, what is
// calibrated and how much is stored differ.
void AddDefaults(std::vector<Member>& all) {
  for (const char* model : {"linear", "mlp"}) {
    for (const std::string& likelihood : LikelihoodNames()) {
      for (const char* dynamics :
           {"", "static", "inflation", "adaptive", "forgetting", "ou", "restart"}) {
        for (const char* robustness : {"none", "imq", "mahalanobis_gate"}) {
          for (const char* storage : {"float64", "float32"}) {
            LearnerConfig config = ConfigOf(model, likelihood);
            config.calibration = {};
            config.dynamics.name = dynamics;
            config.robustness.name = robustness;
            if (std::string(storage) == "float32") {
              if (std::string(dynamics) != "static") continue;
              config.posterior = {"diagonal", {{"storage", std::string(storage)}}};
            }
            Add(absl::StrCat("default ", model, " ", likelihood, " ", dynamics, " ", robustness,
                             " ", storage),
                config, all);
          }
        }
      }
    }
  }
}

const std::vector<Member>& Members() {
  static const auto* const members = [] {
    auto* const all = new std::vector<Member>;
    AddRules(*all);
    AddDefaults(*all);
    return all;
  }();
  return *members;
}

Batch BatchOf(const Member& member, std::size_t index, std::uint64_t step) {
  constexpr Index kRows[] = {16, 5, 33, 9};
  Batch batch = BatchFor(member.likelihood, kInputs, kRows[(index + step) % 4], step);
  if (step == 1) batch.targets(0, 1) = std::numeric_limits<double>::quiet_NaN();
  return batch;
}

void AppendNumbers(const Matrix& numbers, std::string& out) {
  out.append(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::size_t>(numbers.size()) * sizeof(double));
}

// A fold that goes on, one minibatch after another.
class Fold {
 public:
  Fold(const Member& member, std::size_t index)
      : member_(member), index_(index), state_(member.learner.Initial()) {}

  // Learns a minibatch and answers the next. Returns all that came of it, as bytes.
  std::string Step(std::uint64_t step, Scratch& scratch) {
    const Learner& learner = member_.learner;
    const Batch batch = BatchOf(member_, index_, step);
    LearnerState next;
    const absl::StatusOr<Learned> learned = learner.Update(state_, batch, scratch, next);
    std::string out = learned.status().ToString();
    if (learned.ok()) {
      state_ = std::move(next);
      const std::string bytes = learner.EncodeState(state_);
      out.append(bytes);
    }
    return out + Answered(BatchOf(member_, index_, step + 1), scratch);
  }

 private:
  std::string Answered(const Batch& batch, Scratch& scratch) const {
    PredictOptions drawn;
    drawn.samples = 3;
    std::string out;
    for (const PredictOptions& options : {PredictOptions(), drawn}) {
      const absl::StatusOr<Answer> answer = Ask(member_.learner, state_, batch, scratch, options);
      absl::StrAppend(&out, answer.status().ToString());
      if (!answer.ok()) continue;
      for (const Output& output : answer->outputs) AppendNumbers(output.values, out);
    }
    return out + Scores(batch, scratch);
  }

  std::string Scores(const Batch& batch, Scratch& scratch) const {
    const QuerySet queries = member_.learner.Ask({.scores = true}).value();
    const absl::StatusOr<Scored> scored =
        member_.learner.Score(state_, batch, queries, scratch, {.rows = 7});
    std::string out = scored.status().ToString();
    if (!scored.ok()) return out;
    for (const NamedScore& score : scored->scores) {
      AppendNumbers(Matrix::Constant(1, 1, score.value), out);
    }
    return out;
  }

  const Member& member_;
  const std::size_t index_;
  LearnerState state_;
};

// What each model comes to alone, in scratch that nobody has used: by model and step.
std::vector<std::vector<std::string>> Alone() {
  std::vector<std::vector<std::string>> all;
  for (std::size_t i = 0; i < Members().size(); ++i) {
    Fold fold(Members()[i], i);
    std::vector<std::string>& steps = all.emplace_back();
    for (std::uint64_t t = 0; t < kSteps; ++t) {
      Scratch fresh;
      steps.push_back(fold.Step(t, fresh));
    }
  }
  return all;
}

TEST(SharedScratch, HasEveryKindOfModel) { EXPECT_GE(Members().size(), 150U); }

TEST(SharedScratch, ChangesNoModelInAnyOfTenOrders) {
  const std::vector<std::vector<std::string>> alone = Alone();
  std::mt19937_64 random(41);
  std::vector<std::size_t> order(Members().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Scratch shared;
  for (int round = 0; round < 10; ++round) {
    std::vector<Fold> folds;
    for (std::size_t i = 0; i < Members().size(); ++i) folds.emplace_back(Members()[i], i);
    for (std::uint64_t t = 0; t < kSteps; ++t) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        ASSERT_TRUE(folds[i].Step(t, shared) == alone[i][t])
            << Members()[i].name << ", step " << t << ", round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace prequel::shared_scratch_test
