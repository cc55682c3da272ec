// What a model's scores are worth: beside those of predictors that know no inputs.
#pragma once

#include <optional>
#include <string>

#include "prequel/v1/learning_service.pb.h"

namespace prequel::cli {

// A table of the recent scores of the model and of what it is compared with; "" where there is
// nothing to compare with.
std::string ComparisonText(const v1::GetEvaluationResponse& evaluation);

// SkillOf is by how much the recent nll of repeating the last label or value is above the model's:
// above 0 the model has skill. Nothing where they are not compared.
std::optional<double> SkillOf(const v1::GetEvaluationResponse& evaluation);

// A sentence, ready to print, when repeating the last label or value would have done better of
// late; "" otherwise, and while there are few rows.
std::string SkillWarning(const std::string& model, const v1::GetEvaluationResponse& evaluation);

}  // namespace prequel::cli
