#include "core/learner/planning/agreement.h"

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/config/by_name.h"
#include "core/config/field_error.h"
#include "core/rules/families.h"

namespace prequel {

absl::Status CheckRule(const Problem& problem) {
  if (absl::Status status = CheckFamily(problem.rule, problem.prototype()); !status.ok()) {
    return status;
  }
  return std::visit(
      [&]<class R, class Q>(const R& rule, const Q& prototype) {
        if constexpr (Updates<R, Q>) return rule.CheckFor(problem.setting(), prototype);
        return absl::OkStatus();
      },
      problem.rule, problem.prototype());
}

absl::Status CheckRobustness(const Problem& problem) {
  if (!problem.weighs_rows()) return absl::OkStatus();
  const std::string is = absl::StrCat("is \"", std::string(NameOf(problem.robustness)), "\", ");
  const std::string likelihood(NameOf(problem.likelihood));
  const bool weighs = std::visit([](const auto& l) { return l.kWeighsRows; }, problem.likelihood);
  if (!weighs) {
    return FieldError(
        "config.robustness",
        absl::StrCat(is, "and the likelihood is \"", likelihood, "\", ",
                     problem.classes() ? "under which no label pulls beyond a bound"
                                       : "under which sound counts are often far above their mean: "
                                         "to weigh them would lower it",
                     "; use robustness \"none\" or likelihood \"gaussian\""));
  }
  if (problem.dataset_size() == 0) return absl::OkStatus();
  return FieldError("config.robustness",
                    absl::StrCat(is,
                                 "which weighs a row by what was predicted of it before it was "
                                 "learned, and in mode \"dataset\" rows come again: use "
                                 "robustness \"none\" or a rule in mode \"recursive\""));
}

absl::Status CheckBeliefs(const Problem& problem) {
  constexpr double kMostNumbers = double{1 << 27};  // 1 GiB of doubles
  const auto params = static_cast<double>(problem.num_params());
  const auto correlated = static_cast<double>(problem.num_correlated());
  const auto factor = params * static_cast<double>(problem.rank() + 2);
  const auto beliefs = static_cast<double>(problem.num_beliefs());
  if (beliefs == 1 || beliefs * (correlated * correlated + factor) <= kMostNumbers) {
    return absl::OkStatus();
  }
  return FieldError(
      "config.dynamics",
      absl::StrCat("has ", problem.num_beliefs(), " beliefs of ", problem.num_params(),
                   " weights, too many to hold: use fewer `rates` or `runs`, dynamics "
                   "\"inflation\" or \"static\", or another posterior"));
}

absl::Status CheckDynamics(const Problem& problem) {
  if (problem.priors.size() > 1 && problem.dataset_size() > 0) {
    return FieldError("config.prior.options.layer_scale",
                      "is \"both\", and the rule is in mode \"dataset\", in which rows come again "
                      "and would speak for the wider prior: use \"fan_in\" or \"none\"");
  }
  return std::visit(
      [&]<class T, class Q>(const T&, const Q&) -> absl::Status {
        if constexpr (!T::kMoves) return absl::OkStatus();
        const std::string name(T::kName);
        if (problem.dataset_size() > 0) {
          return FieldError("config.dynamics",
                            absl::StrCat("is \"", name,
                                         "\", and the rule is in mode \"dataset\", in which the "
                                         "data do not move: use dynamics \"static\" or a rule in "
                                         "mode \"recursive\""));
        }
        if constexpr (AppliesTo<T, Q>) return absl::OkStatus();
        return FieldError(
            "config.dynamics",
            absl::StrCat("is \"", name, "\", which posterior \"", std::string(Q::kName),
                         "\" has no form for: use dynamics \"static\" or another "
                         "posterior"));
      },
      problem.dynamics, problem.prototype());
}

}  // namespace prequel
