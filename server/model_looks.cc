#include "server/model_looks.h"

#include <optional>
#include <string>

#include "prequel/v1/learning_service.pb.h"
#include "server/wire/evaluation_message.h"

namespace prequel {
namespace {

std::optional<double> Find(const v1::Scores& scores, const char* name) {
  if (!(scores.examples() > 0)) return std::nullopt;
  for (const v1::Score& score : scores.scores()) {
    if (score.name() == name) return score.value();
  }
  return std::nullopt;
}

ModelLook LookAt(const ModelInfo& info, const RecentModels::Entry& entry) {
  v1::GetEvaluationResponse evaluation;
  wire::EvaluationToProto(*info.learner, *info.published.state, &evaluation);
  const v1::Scores& window = evaluation.window();
  ModelLook look{.name = info.name,
                 .revision = static_cast<double>(info.published.revision),
                 .rows = evaluation.cumulative().examples(),
                 .unseen_categories = static_cast<double>(evaluation.unseen_categories()),
                 .nll = Find(window, "nll"),
                 .accuracy = Find(window, "accuracy"),
                 .coverage = Find(window, "coverage90"),
                 .ece = Find(window, "ece")};
  for (const v1::Comparison& comparison : evaluation.comparisons()) {
    const std::optional<double> last = Find(comparison.window(), "nll");
    if (comparison.name() == "last" && last && look.nll) look.skill = *last - *look.nll;
  }
  if (evaluation.has_drift()) look.drift_rate = evaluation.drift().rate();
  for (const v1::Alarm& alarm : evaluation.alarms()) look.alarms[alarm.cause()] = alarm.raised();
  if (entry.learned) {
    look.newest_row_age =
        std::chrono::duration<double>(RecentModels::Clock::now() - *entry.learned).count();
  }
  return look;
}

}  // namespace

std::vector<ModelLook> LooksAt(RecentModels& recent, const Engine& engine) {
  std::vector<ModelLook> looks;
  for (const RecentModels::Entry& entry : recent.All()) {
    const absl::StatusOr<ModelInfo> info = engine.GetModel(entry.name);
    if (!info.ok()) {
      recent.Forget(entry.name);
    } else if (info->published.state != nullptr) {
      looks.push_back(LookAt(*info, entry));
    }
  }
  return looks;
}

}  // namespace prequel
