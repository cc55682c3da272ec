// Scores and step reports.
#pragma once

#include "core/learner/learner.h"
#include "core/scores/scores.h"
#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::wire {

void ScoresToProto(const Scores& scores, v1::Scores* proto);

void ScoredToProto(const Scored& scored, v1::BatchScores* proto);

void StepReportToProto(const Learned& learned, v1::StepReport* proto);

// EvaluationToProto writes everything except the revision.
void EvaluationToProto(const Learner& learner, const LearnerState& state,
                       v1::GetEvaluationResponse* proto);

}  // namespace prequel::wire
