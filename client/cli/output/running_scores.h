// Prequential scores of many minibatches as one.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "client/cli/output/json_writer.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::cli {

// The average of `parts`, weighted by their examples; root mean squares are averaged as squares.
// Parts without examples do not count. Left out are scores that are not known to be averages over
// examples, as the calibration error is not.
v1::Scores Average(const std::deque<v1::Scores>& parts);

// Averages over everything seen, and over the last `window` minibatches.
class RunningScores {
 public:
  explicit RunningScores(std::size_t window) : window_(window) {}

  void Add(const v1::Scores& scores);
  const v1::Scores& total() const { return total_; }
  v1::Scores recent() const { return Average(recent_); }

 private:
  const std::size_t window_;
  v1::Scores total_;
  std::deque<v1::Scores> recent_;
};

// WriteScores writes an object: the count and the scores that are present.
void WriteScores(const v1::Scores& scores, JsonWriter& json);

}  // namespace prequel::cli
