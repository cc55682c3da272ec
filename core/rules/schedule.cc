#include "core/rules/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace prequel {
namespace {

constexpr Index kMaxSteps = 1'000'000'000'000;
constexpr std::size_t kMaxMilestones = 100;

}  // namespace

double Schedule::Factor(std::int64_t t) const {
  switch (kind) {
    case Kind::kMultiStep: {
      const auto passed =
          std::count_if(milestones.begin(), milestones.end(), [t](Index at) { return at <= t; });
      return std::pow(decay, static_cast<double>(passed));
    }
    case Kind::kCosine: {
      const double done =
          static_cast<double>(std::min<std::int64_t>(t, steps)) / static_cast<double>(steps);
      return 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
    case Kind::kConstant:
      break;
  }
  return 1;
}

void Schedule::Configure(Options& options) {
  std::string name = "constant";
  options.Help("what becomes of alpha over the steps")
      .Choice("schedule", &name, {"constant", "multi_step", "cosine"});
  if (name == "multi_step") {
    kind = Kind::kMultiStep;
    options.Help("steps at which alpha is multiplied by decay")
        .Integers("milestones", &milestones, 1, kMaxSteps, kMaxMilestones);
    options.Help("what alpha is multiplied by at a milestone").Positive("decay", &decay, 1);
    if (milestones.empty()) {
      options.Fail(
          "milestones",
          "is needed by schedule \"multi_step\": the steps at which alpha is multiplied by "
          "decay, whole numbers in [1, 1e12]");
    }
  } else if (name == "cosine") {
    kind = Kind::kCosine;
    if (!options.Has("schedule_steps")) {
      options.Fail(
          "schedule_steps",
          "is needed by schedule \"cosine\": the steps until alpha is 0, a whole number in "
          "[1, 1e12]");
    }
    steps = 1;
    options.Help("steps until alpha is 0").Integer("schedule_steps", &steps, 1, kMaxSteps);
  }
}

}  // namespace prequel
