// What GetModel tells of a model, as far as core knows it.
#pragma once

#include "core/learner/learner.h"
#include "prequel/v1/model_service.pb.h"

namespace prequel::wire {

// Configuration and sizes; labels and examples too, when `state` is not null.
void LearnerToProto(const Learner& learner, const LearnerState* state, v1::Model* proto);

}  // namespace prequel::wire
