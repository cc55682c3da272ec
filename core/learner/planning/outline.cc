#include "core/learner/planning/outline.h"

#include <variant>

namespace prequel {

FitShape ShapeOf(const Problem& problem) {
  const Index rank = std::visit([](const auto& likelihood) { return likelihood.curvature_rank(); },
                                problem.likelihood);
  const bool linear = std::visit([](const auto& model) { return model.kLinear; }, problem.model);
  return {problem.layers, linear, rank, problem.classes()};
}

}  // namespace prequel
