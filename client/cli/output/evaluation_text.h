// Prequential evaluations, of one model or of several beside each other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "prequel/v1/learning_service.pb.h"

namespace prequel::cli {

// A model's name and its evaluation.
using NamedEvaluation = std::pair<std::string, v1::GetEvaluationResponse>;

// The scores over all data and of the recent past, what they are to be compared with, drift, alarms
// and warnings.
std::string EvaluationText(const NamedEvaluation& evaluation);

// One table with a column for each model and a row for each score, over all data and of the recent
// past; then the alarms, and a line where the models have scored different numbers of rows.
std::string SideBySideText(const std::vector<NamedEvaluation>& evaluations);

}  // namespace prequel::cli
