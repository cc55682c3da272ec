// How fast a model thinks that its world moves, and what has changed.
#pragma once

#include <string>

#include "prequel/v1/learning_service.pb.h"

namespace prequel::cli {

// A table of the beliefs with their rates and weights, and lines about noise and restarts; "" of a
// model that does not drift.
std::string DriftText(const v1::GetEvaluationResponse& evaluation);

// A sentence, without a full stop: "the mean of price was 0.05 and became 0.12".
std::string ChangeText(const v1::Alarm& alarm);

// A line, ready to print, for each alarm that is raised; "" without alarms.
std::string AlarmText(const v1::GetEvaluationResponse& evaluation);

}  // namespace prequel::cli
