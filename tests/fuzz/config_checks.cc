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
  const absl::StatusOr<LearnerConfig> resolved = wire::ResolveConfig(proto);
  if (!resolved.ok()) return RequireTold(resolved.status());
  v1::ModelConfig full;
  wire::ConfigToProto(*resolved, &full);
  const absl::StatusOr<LearnerConfig> again = wire::ResolveConfig(full);
  Require(again.ok(), "a resolved configuration is one", again.status().ToString());
  Require(wire::ConfigToBytes(*again) == wire::ConfigToBytes(*resolved),
          "a resolved configuration resolves to itself");
  const absl::StatusOr<Learner> learner = Learner::Create(*resolved);
  Require(learner.ok(), "a resolved configuration makes a model", learner.status().ToString());
  CheckLearner(*learner);
}

}  // namespace prequel::fuzz
