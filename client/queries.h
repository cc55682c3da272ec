// Questions to a predictive, and its answers by name.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "prequel/v1/prediction.pb.h"

namespace prequel::client {

// Asks a model of values for moments, and for quantiles of these levels.
void AskForQuantiles(const std::vector<double>& levels, v1::PredictOptions* options);

// FindOutput is null when the output was not asked for.
const v1::Output* FindOutput(const v1::Predictions& predictions, std::string_view name);

// FindScore is nothing when there are no examples, or the score does not apply.
std::optional<double> FindScore(const v1::Scores& scores, std::string_view name);

}  // namespace prequel::client
