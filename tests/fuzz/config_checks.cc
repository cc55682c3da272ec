#include "tests/fuzz/config_checks.h"

#include <string>

#include "core/learner/learner.h"
#include "server/wire/config.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

// One minibatch of rows made to fit; a rule may refuse to learn it.
void CheckLearner(const Learner& learner) {
  static Scratch& scratch = *new Scratch();
  const LearnerState state = learner.Initial();
  const std::string before = learner.EncodeState(state);
  const absl::StatusOr<LearnerState> read = learner.DecodeState(before);
  Require(read.ok() && learner.EncodeState(*read) == before, "a state is read as it was written");
  const Batch batch = SampleBatch(learner, 1);
  if (absl::Status status = learner.CheckBatch(batch); !status.ok()) return RequireTold(status);
  LearnerState next;
  const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
  if (!learned.ok()) return RequireTold(learned.status());
  const absl::Status again = learner.DecodeState(learner.EncodeState(next)).status();
  Require(again.ok(), "what was learned can be read again", again.ToString());
}

}  // namespace

void CheckConfig(const v1::ModelConfig& proto) {
  const absl::StatusOr<LearnerConfig> config = wire::ConfigFromProto(proto);
  if (!config.ok()) return RequireTold(config.status());
  const std::string bytes = wire::ConfigToBytes(*config);
  const absl::StatusOr<LearnerConfig> back = wire::ConfigFromBytes(bytes);
  Require(back.ok() && wire::ConfigToBytes(*back) == bytes, "a configuration survives its bytes");
  if (!IsSmall(*config) || !InDepth(bytes)) return;
  const absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return RequireTold(learner.status());
  const std::string full = wire::ConfigToBytes(learner->config());
  const absl::StatusOr<LearnerConfig> stored = wire::ConfigFromBytes(full);
  Require(stored.ok(), "a configuration with its defaults is one", stored.status().ToString());
  const absl::StatusOr<Learner> again = Learner::Create(*stored);
  Require(again.ok(), "it makes a model as well", again.status().ToString());
  Require(wire::ConfigToBytes(again->config()) == full, "no default is filled in a second time");
  CheckLearner(*again);
}

}  // namespace prequel::fuzz
