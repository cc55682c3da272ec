#include "core/learner/planning/outline.h"

#include <variant>

namespace prequel {

FitShape ShapeOf(const Problem& problem) {
  const Index rank = std::visit([](const auto& likelihood) { return likelihood.curvature_rank(); },
                                problem.likelihood);
  const bool linear = std::visit([](const auto& model) { return model.kLinear; }, problem.model);
  const bool stands_still = problem.config.dynamics.name == StandingDynamics::kName;
  return {problem.layers, linear, rank, problem.classes(), stands_still};
}

}  // namespace prequel
