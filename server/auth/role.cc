#include "server/auth/role.h"

#include <algorithm>
#include <array>

namespace prequel {
namespace {

template <std::size_t n>
bool Has(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Role RoleFor(std::string_view method) {
  constexpr auto kReading = std::to_array<std::string_view>(
      {"GetModel", "ListModels", "ListRevisions", "Predict", "GetEvaluation", "WatchEvaluation",
       "ListParts", "ServerMetadata", "ModelReady", "ModelMetadata", "ModelInfer"});
  constexpr auto kLearning =
      std::to_array<std::string_view>({"Learn", "LearnStream", "PredictThenLearn"});
  if (Has(kReading, method)) return Role::kRead;
  return Has(kLearning, method) ? Role::kLearn : Role::kAdmin;
}

}  // namespace prequel
