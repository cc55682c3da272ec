#include "tests/accept/guard/starts/stored_log.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/learner/learner.h"
#include "server/engine/records/minibatch.h"
#include "server/wire/config.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {
namespace {

constexpr int kAtOnce = 64;  // in one append

}  // namespace

void StoreLog(Store& store, const std::string& id, const v1::ModelConfig& config,
              const v1::Batch& minibatch, int times) {
  const Learner learner = OrDie(Learner::Create(OrDie(wire::ConfigFromProto(config))));
  const StoredModel model =
      OrDie(store.catalogue().CreateModel(id, wire::ConfigToBytes(learner.config()), 0, nullptr));
  const std::string payload = minibatch.SerializeAsString();
  const LogRecord record{.log = model.log, .type = Minibatch::kType, .payload = payload};
  for (int left = times; left > 0; left -= kAtOnce) {
    std::vector<LogRecord> records(static_cast<std::size_t>(std::min(left, kAtOnce)), record);
    OrDie(store.log().Append(records));
  }
}

}  // namespace prequel::accept
