// Every rule in the configurations that the property tests go through, each with the posteriors it
// updates. A new rule is tested by its lines here.
#pragma once

#include <string>
#include <vector>

#include "core/config.h"

namespace prequel {

struct RuleUnderTest {
  std::string name;  // of the test
  ComponentConfig rule;
  std::vector<std::string> posteriors;
  std::string model = "", likelihood = "";  // the only ones that it is for; empty: all
};

inline std::vector<RuleUnderTest> RulesUnderTest() {
  using Word = std::string;
  std::vector<RuleUnderTest> all;
  for (const char* over : {"linearized", "mean", "monte_carlo"}) {
    for (const char* scheme : {"implicit", "explicit"}) {
      all.push_back({Word("rvga_") + over + "_" + scheme,
                     {"rvga", {{"scheme", Word(scheme)}, {"expectation", Word(over)}}},
                     {"full", "diagonal", "low_rank"}});
    }
  }
  all.push_back({"rvga_closed_form",
                 {"rvga", {{"expectation", Word("closed_form")}}},
                 {"full"},
                 "linear",
                 "bernoulli"});
  all.push_back({"conjugate", {"conjugate", {}}, {"full"}, "linear", "gaussian"});

  all.push_back({"lofi", {"lofi", {}}, {"low_rank"}});
  // What the spherical variant forgets of a network with a wide prior it never stops relearning.
  all.push_back(
      {"lofi_spherical", {"lofi", {{"variant", Word("spherical")}}}, {"low_rank"}, "linear"});
  all.push_back({"lofi_at_mean", {"lofi", {{"expectation", Word("mean")}}}, {"low_rank"}});
  all.push_back({"lrvga", {"lrvga", {}}, {"low_rank"}});

  const auto dataset = [](std::map<std::string, OptionValue> options) {
    options["mode"] = Word("dataset");
    options["dataset_size"] = 960.0;
    return options;
  };
  all.push_back({"ivon_recursive", {"ivon", {{"samples", 4.0}}}, {"diagonal"}});
  all.push_back({"ivon_dataset", {"ivon", dataset({{"beta2", 0.99}})}, {"diagonal"}});
  all.push_back({"ivon_sampled",
                 {"ivon", dataset({{"beta2", 0.99}, {"predictive", Word("monte_carlo")}})},
                 {"diagonal"}});
  all.push_back({"ivon_at_mean",
                 {"ivon", dataset({{"beta2", 0.99}, {"predictive", Word("mean")}})},
                 {"diagonal"}});
  all.push_back({"slang", {"slang", dataset({{"alpha", 0.3}, {"beta", 0.3}})}, {"low_rank"}});
  all.push_back(
      {"slang_ggn",
       {"slang",
        dataset({{"curvature", Word("ggn")}, {"samples", 2.0}, {"alpha", 0.3}, {"beta", 0.3}})},
       {"low_rank"}});
  all.push_back({"adam", {"adam", dataset({{"alpha", 0.02}})}, {"point"}});
  return all;
}

}  // namespace prequel
