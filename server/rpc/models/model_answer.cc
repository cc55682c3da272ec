#include "server/rpc/models/model_answer.h"

#include <chrono>
#include <string>
#include <vector>

#include "google/protobuf/util/time_util.h"
#include "server/rpc/resource_name.h"
#include "server/wire/model.h"

namespace prequel {

void InfoToProto(const ModelInfo& info, v1::Model* model) {
  model->set_name(ModelNameOf(info.name));
  *model->mutable_create_time() = google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      std::chrono::duration_cast<std::chrono::microseconds>(info.create_time.time_since_epoch())
          .count());
  model->set_revision(info.published.revision);
  model->set_serving(info.problem.ok());
  if (!info.problem.ok()) model->set_problem(std::string(info.problem.message()));
  if (info.learner != nullptr) {
    wire::LearnerToProto(*info.learner, info.published.state.get(), model);
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
