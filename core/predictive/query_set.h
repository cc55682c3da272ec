// What is asked of a model at once: checked, and of a known size.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/learner_config.h"
#include "core/predictive/answer.h"
#include "core/predictive/queries/asked.h"

namespace prequel {

class Predictive;  // core/predictive/predictive.h

// PredictOptions says how the model is asked.
struct PredictOptions {
  // `samples` > 0 asks for a predictive by Monte Carlo in parameter space, with this many draws of
  // each belief, instead of the one that matches the rule.
  int samples = 0;
  bool raw = false;     // as the model predicts before its predictions are calibrated
  bool scores = false;  // the scores of what is served are wanted, in place of answers
  std::vector<ComponentConfig> queries;  // by name; empty: all that are answered by default

  bool operator==(const PredictOptions&) const = default;
};

// QuerySet is immutable once made, and cheap to copy. It knows its queries by a pointer, so that
// whoever passes it on needs none of their headers.
class QuerySet {
 public:
  // Make: INVALID_ARGUMENT names the field ("options.queries[1].options.levels[2]"): a query that
  // does not exist, or not of such a predictive, or twice; an option out of range; samples beyond
  // 10000; queries, samples or raw beside scores.
  static absl::StatusOr<QuerySet> Make(const PredictOptions& options, const Asked& asked);

  int samples() const;
  bool raw() const;
  bool scores() const;         // Learner::Score is to be asked, and there are no queries
  const Asked& asked() const;  // of what
  // numbers_per_example is how many numbers one example is answered with.
  Index numbers_per_example() const;

  // Sized returns the answer for `examples` examples, to be filled.
  Answer Sized(Index examples) const;
  // Fill writes the columns from `first` on, one for each example of the predictive.
  void Fill(Predictive& predictive, Index first, Answer& answer) const;

 private:
  struct Parts;
  explicit QuerySet(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace prequel
