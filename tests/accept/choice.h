// Settings chosen as a stream goes by, without looking ahead or at what is reported.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/config/learner_config.h"
#include "core/scores/evaluation.h"
#include "tests/accept/folding.h"

namespace prequel::accept {

// One way to run a stream: changes to the default configuration, and rows per minibatch.
struct Setting {
  std::string name;  // as printed beside the result
  std::function<void(LearnerConfig&)> apply;
  Index batch = 1;
};

// Several settings run side by side, and the one that has predicted best so far (least prequential
// NLL; at first the first) answers next: prequential model selection (Dawid 1984). What it scores
// is what somebody would have got who had no other data to choose by.
class Leader {
 public:
  // REQUIRES: `settings` is not empty.
  Leader(const LearnerConfig& config, std::vector<Setting> settings);

  // The leader's predictions of `rows` count; then every setting learns them, in its minibatches.
  void Learn(const Batch& rows);
  // In slices of `size` rows.
  void LearnAll(const Batch& rows, Index size);

  Scores scores() const;  // of the answers that counted
  Folding& best() { return folds_[leader_]; }
  std::size_t leader() const { return leader_; }
  const Setting& setting() const { return settings_[leader_]; }

 private:
  std::vector<Setting> settings_;
  std::deque<Folding> folds_;  // of settings_
  std::size_t leader_ = 0;
  Tally answered_;
};

}  // namespace prequel::accept
