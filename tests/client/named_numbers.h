// Outputs and scores by name, as a server would send them.
#pragma once

#include <string>

#include "prequel/v1/prediction.pb.h"

namespace prequel {

// The output of that name, which is added where there is none.
inline v1::Output* MutableOutput(v1::Predictions& predictions, const std::string& name) {
  for (v1::Output& output : *predictions.mutable_outputs()) {
    if (output.name() == name) return &output;
  }
  v1::Output* output = predictions.add_outputs();
  output->set_name(name);
  return output;
}

inline void AddScore(v1::Scores& scores, const std::string& name, double value) {
  v1::Score* score = scores.add_scores();
  score->set_name(name);
  score->set_value(value);
}

}  // namespace prequel
