// Every rule of the set, with every posterior that it updates: as it is by default, or in the
// variants given here, which say more of some rules than their defaults do.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/config/learner_config.h"
#include "core/learner/learner.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"
#include "tests/core/streams.h"

namespace prequel {

struct RuleUnderTest {
  std::string name;  // of the test
  ComponentConfig rule;
  std::vector<std::string> posteriors;
  std::string model = "", likelihood = "";  // the only ones that it is for; empty: all
};

inline std::vector<RuleUnderTest> FittingRules() {
  using Word = std::string;
  std::vector<RuleUnderTest> all;
  for (const char* over : {"linearized", "mean", "monte_carlo"}) {
    for (const char* scheme : {"implicit", "explicit"}) {
      all.push_back({Word("rvga_") + over + "_" + scheme,
                     {"rvga", {{"scheme", Word(scheme)}, {"expectation", Word(over)}}},
                     {"full", "diagonal", "low_rank", "block_diagonal", "last_layer", "subnetwork",
                      "per_unit"}});
    }
  }
  all.push_back({"rvga_closed_form",
                 {"rvga", {{"expectation", Word("closed_form")}}},
                 {"full"},
                 "linear",
                 "bernoulli"});
  all.push_back({"conjugate", {"conjugate", {}}, {"full"}, "linear", "gaussian"});
  return all;
}

// `options` in dataset mode.
inline std::map<std::string, OptionValue> InDataset(std::map<std::string, OptionValue> options) {
  options["mode"] = std::string("dataset");
  options["dataset_size"] = 960.0;
  return options;
}

inline std::vector<RuleUnderTest> LowRankRules() {
  using Word = std::string;
  std::vector<RuleUnderTest> all;
  all.push_back({"lofi", {"lofi", {}}, {"low_rank"}});
  // What the spherical variant forgets of a network with a wide prior it never stops relearning.
  all.push_back(
      {"lofi_spherical", {"lofi", {{"variant", Word("spherical")}}}, {"low_rank"}, "linear"});
  all.push_back({"lofi_at_mean", {"lofi", {{"expectation", Word("mean")}}}, {"low_rank"}});
  all.push_back({"lrvga", {"lrvga", {}}, {"low_rank"}});
  all.push_back({"hilofi", {"hilofi", {}}, {"low_rank_hidden"}});
  all.push_back({"slang", {"slang", InDataset({{"alpha", 0.3}, {"beta", 0.3}})}, {"low_rank"}});
  all.push_back(
      {"slang_ggn",
       {"slang",
        InDataset({{"curvature", Word("ggn")}, {"samples", 2.0}, {"alpha", 0.3}, {"beta", 0.3}})},
       {"low_rank"}});
  return all;
}

inline std::vector<RuleUnderTest> NewtonRules() {
  using Word = std::string;
  std::vector<RuleUnderTest> all;
  all.push_back({"von_recursive", {"von", {{"passes", 3.0}}}, {"full", "diagonal"}});
  all.push_back({"von_dataset", {"von", InDataset({})}, {"full", "diagonal"}});
  all.push_back({"von_monte_carlo",
                 {"von", InDataset({{"expectation", Word("monte_carlo")}})},
                 {"full", "diagonal"}});
  all.push_back({"iblr", {"iblr", InDataset({})}, {"full", "diagonal"}});
  const ComponentConfig reparameterized{
      "iblr",
      {{"curvature", Word("reparameterized")}, {"samples", 8.0}, {"passes", 3.0}, {"beta", 0.02}}};
  all.push_back({"iblr_reparameterized", reparameterized, {"diagonal"}});
  all.push_back({"iblr_reparameterized_full", reparameterized, {"full"}, "linear", "bernoulli"});
  all.push_back({"ivon_recursive", {"ivon", {{"samples", 4.0}}}, {"diagonal"}});
  all.push_back({"ivon_dataset", {"ivon", InDataset({{"beta2", 0.99}})}, {"diagonal"}});
  all.push_back({"ivon_sampled",
                 {"ivon", InDataset({{"beta2", 0.99}, {"predictive", Word("monte_carlo")}})},
                 {"diagonal"}});
  all.push_back({"ivon_at_mean",
                 {"ivon", InDataset({{"beta2", 0.99}, {"predictive", Word("mean")}})},
                 {"diagonal"}});
  return all;
}

// With a mode that a quarter of a pass finds, and at the prior's mean.
inline std::vector<RuleUnderTest> LaplaceRules() {
  const std::vector<std::string> posteriors = {"full", "diagonal", "subnetwork", "kronecker"};
  return {{"laplace", {"laplace", InDataset({{"map_passes", 0.25}, {"alpha", 0.1}})}, posteriors},
          {"laplace_from_the_start", {"laplace", InDataset({{"map_steps", 0.0}})}, posteriors}};
}

inline std::vector<RuleUnderTest> AveragingRules() {
  using Word = std::string;
  std::vector<RuleUnderTest> all;
  all.push_back({"vogn_recursive", {"vogn", {{"samples", 2.0}}}, {"diagonal"}});
  all.push_back({"vogn_dataset",
                 {"vogn", InDataset({{"schedule", Word("cosine")},
                                     {"schedule_steps", 100.0},
                                     {"warm_up", 10.0},
                                     {"damping", 1e-3}})},
                 {"diagonal"}});
  all.push_back({"vogn_ggn", {"vogn", InDataset({{"curvature", Word("ggn")}})}, {"diagonal"}});
  all.push_back({"ogn", {"ogn", InDataset({{"damping", 1e-3}})}, {"diagonal"}});
  all.push_back({"vogn_kronecker",
                 {"vogn", InDataset({{"alpha", 0.05},
                                     {"beta2", 0.9},
                                     {"samples", 2.0},
                                     {"warm_up", 3.0},
                                     {"refresh", 2.0}})},
                 {"kronecker"}});
  all.push_back({"vogn_kronecker_ggn",
                 {"vogn", InDataset({{"curvature", Word("ggn")}, {"alpha", 0.03}})},
                 {"kronecker"}});
  all.push_back(
      {"ogn_kronecker", {"ogn", InDataset({{"damping", 1e-3}, {"alpha", 0.1}})}, {"kronecker"}});
  all.push_back({"vadam", {"vadam", InDataset({{"alpha", 0.02}})}, {"diagonal"}});
  all.push_back({"sgd",
                 {"sgd", InDataset({{"schedule", Word("multi_step")},
                                    {"milestones", std::vector<double>{30, 50}},
                                    {"alpha", 0.003}})},
                 {"point"}});
  all.push_back({"bbb_recursive", {"bbb", {{"samples", 2.0}}}, {"diagonal"}});
  all.push_back({"bbb_dataset", {"bbb", InDataset({})}, {"diagonal"}});
  all.push_back({"natural_gradient_svi",
                 {"natural_gradient_svi", InDataset({{"samples", 8.0}})},
                 {"diagonal"}});
  all.push_back({"adam", {"adam", InDataset({{"alpha", 0.02}})}, {"point"}});
  return all;
}

// By the rule's name, the posteriors that it updates.
inline std::map<std::string, std::vector<std::string>> PosteriorsByRule() {
  std::map<std::string, std::vector<std::string>> all;
  const auto of_rule = [&]<class R, class... Qs>(const R*, const std::variant<Qs...>*) {
    const std::string name(R::kName);
    all[name] = {};
    ((Updates<R, Qs> ? all[name].push_back(std::string(Qs::kName)) : void()), ...);
  };
  [&]<class... Rs>(const std::variant<Rs...>*) {
    (of_rule(static_cast<const Rs*>(nullptr), static_cast<const Posterior*>(nullptr)), ...);
  }(static_cast<const Rule*>(nullptr));
  return all;
}

// The rule as it is by default, or in dataset mode when it has no other.
inline ComponentConfig DefaultRule(const std::string& name, const std::string& posterior) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.rule.name = name;
  config.posterior.name = posterior;
  if (Learner::Create(config).ok()) return config.rule;
  return {name, InDataset({})};
}

inline std::vector<RuleUnderTest> RulesUnderTest() {
  std::vector<RuleUnderTest> all = FittingRules();
  for (const auto& some : {LowRankRules(), NewtonRules(), AveragingRules(), LaplaceRules()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  const std::vector<RuleUnderTest> variants = all;
  for (const auto& entry : PosteriorsByRule()) {
    const std::string& name = entry.first;
    for (const std::string& posterior : entry.second) {
      const bool has_variant =
          std::any_of(variants.begin(), variants.end(), [&](const RuleUnderTest& variant) {
            return variant.rule.name == name &&
                   std::count(variant.posteriors.begin(), variant.posteriors.end(), posterior) > 0;
          });
      if (!has_variant) {
        all.push_back({name + "_by_default", DefaultRule(name, posterior), {posterior}});
      }
    }
  }
  return all;
}

}  // namespace prequel
