#include "server/rpc/models/model_answer.h"

#include <chrono>
#include <string>
#include <vector>

#include "google/protobuf/util/time_util.h"
#include "server/rpc/resource_name.h"
#include "server/wire/config.h"
#include "server/wire/model_message.h"

namespace prequel {
namespace {

void StateToProto(const ModelInfo& info, v1::Model* model) {
  model->set_serving(info.problem.ok());
  if (info.problem.ok()) {
    model->set_state(v1::Model::STATE_SERVING);
    return;
  }
  model->set_problem(std::string(info.problem.message()));
  model->set_state(info.replay.has_value() ? v1::Model::STATE_STARTING : v1::Model::STATE_FAILED);
  if (!info.replay.has_value()) return;
  model->mutable_replay()->set_folded(info.replay->folded);
  model->mutable_replay()->set_records(info.replay->records);
}

}  // namespace

void InfoToProto(const ModelInfo& info, v1::Model* model) {
  model->set_name(ModelNameOf(info.name));
  *model->mutable_create_time() = google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      std::chrono::duration_cast<std::chrono::microseconds>(info.create_time.time_since_epoch())
          .count());
  if (info.published.state != nullptr) model->set_revision(info.published.revision);
  StateToProto(info, model);
  if (info.learner != nullptr) {
    wire::LearnerToProto(*info.learner, info.published.state.get(), model);
  } else if (info.config.has_value()) {
    wire::ConfigToProto(*info.config, model->mutable_config());
  }
}

void SnapshotToProto(const StoredSnapshot& stored, v1::Snapshot* snapshot) {
  snapshot->set_revision(stored.revision);
  *snapshot->mutable_create_time() =
      google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(stored.create_time_us);
  snapshot->set_bytes(static_cast<std::int64_t>(stored.bytes));
  snapshot->set_build(stored.build);
}

absl::Status TakeModel(const Call& call, const Engine& engine) {
  return call.TakeModel([&call, &engine] {
    constexpr int kPage = 1000;
    std::int64_t count = 0;
    std::string last;
    for (;;) {
      const std::vector<ModelInfo> page = engine.ListModels(last, kPage);
      for (const ModelInfo& info : page) count += call.MayUse(info.name) ? 1 : 0;
      if (page.size() < kPage) return count;
      last = page.back().name;
    }
  });
}

}  // namespace prequel
