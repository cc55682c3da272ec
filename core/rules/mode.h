// What the minibatches of a stream are to a stepping rule.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/config/options.h"
#include "core/linalg/types.h"

namespace prequel {

// dataset: the minibatches are drawn from N examples, over and over (shuffling and several passes
// are the producer's to send). Sums over a minibatch count N/B times, the objective is anchored to
// the prior N(m₀, Λ₀⁻¹), every minibatch is one step, and the rule's state lives on.
// recursive: every minibatch is new data, and q_{t−1} is its prior: sums count once, and `passes`
// steps climb its local ELBO. What was learned is in q alone; the rule's state starts afresh.
struct Mode {
  double dataset_size = 0;  // N; 0: recursive
  Index passes = 1;         // steps per minibatch

  bool dataset() const { return dataset_size > 0; }

  // Configure reads "mode" (recursive unless given), then "dataset_size" or "passes".
  void Configure(Options& options);
  // ConfigureDataset is for a rule that needs dataset mode because `reason`.
  void ConfigureDataset(Options& options, std::string_view reason);
  // RefuseDatasetOptions refuses options that are of dataset mode only, because `reason`. REQUIRES:
  // recursive mode.
  static void RefuseDatasetOptions(Options& options, std::initializer_list<const char*> names,
                                   std::string_view reason);

 private:
  void ConfigureSize(Options& options);
};

}  // namespace prequel
