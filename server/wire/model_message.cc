#include "server/wire/model_message.h"

#include <string>

#include "server/wire/config.h"
#include "server/wire/text.h"

namespace prequel::wire {

void LearnerToProto(const Learner& learner, const LearnerState* state, v1::Model* proto) {
  ConfigToProto(learner.config(), proto->mutable_config());
  proto->set_num_parameters(learner.num_parameters());
  proto->set_num_inputs(learner.num_encoded_inputs());
  if (state == nullptr) return;
  proto->set_examples(state->examples);
  for (const std::string& label : learner.Labels(*state)) proto->add_labels(Readable(label));
}

}  // namespace prequel::wire
