#include "core/learner/fit.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/archive/each_array.h"
#include "core/learner/prediction.h"
#include "core/learner/weighing.h"
#include "core/random/lanes.h"

namespace prequel {
namespace {

// A step that moves q by more than this is an accident, not learning: a hundred standard
// deviations in every weight, where one good step is a few.
constexpr double kMaxKlPerWeight = 5000;

// Fitting is what the steps of one fit share.
struct Fitting {
  const Problem& problem;
  std::int64_t revision;
  const BeliefPrior& configured;  // which the belief began as
  const Belief& belief;
  BeliefWorkspace& w;
  Workspace& all;
  StepReport& report;

  // StreamOf has the lanes of pass `pass`.
  Stream StreamOf(Index pass) const {
    return {problem.config.seed, static_cast<std::uint64_t>(revision),
            kRuleLane + static_cast<std::uint32_t>(pass * StepInput::kMaxDraws)};
  }
};

// StepDataset takes one step in dataset mode, on N examples under the configured prior.
template <class R, class Q>
absl::Status StepDataset(const Fitting& f, const R& rule, const Q& q,
                         const typename R::State& state, Q& next, typename R::State& next_state) {
  const StepInput input{f.w.expansion,          f.w.at_mean, f.problem.prior_mean,
                        f.configured.precision, nullptr,     rule.mode.dataset_size,
                        f.StreamOf(0),          f.all.rule};
  return rule.Step(input, q, state, next, next_state);
}

// StepRecursive makes the passes of recursive mode, all anchored to q_{t−1}: the first reads it,
// the later ones step `next` in place. A family that has no anchor is its own prior, beside the
// model's precision.
template <class R, class Q>
absl::Status StepRecursive(const Fitting& f, const R& rule, const Q& prior, Q& next) {
  auto& passing = StateOf<R>(f.all.passing);
  passing.steps = 0;
  const Anchor anchor = prior.anchor();
  const Vector& precision =
      anchor.precision != nullptr ? *anchor.precision : f.configured.precision;
  const auto rows = static_cast<double>(f.w.expansion.examples());
  absl::Status status;
  for (Index pass = 0; pass < rule.mode.passes && status.ok(); ++pass) {
    const StepInput input{f.w.expansion,     f.w.at_mean, prior.mean,       precision,
                          anchor.covariance, rows,        f.StreamOf(pass), f.all.rule};
    status = rule.Step(input, pass == 0 ? prior : next, passing, next, passing);
    f.w.at_mean = false;
  }
  f.report.passes = static_cast<int>(rule.mode.passes);
  return status;
}

template <class R>
absl::Status Diverged(const R&, std::string_view how) {
  return absl::InternalError(absl::StrCat(
      "rule \"", std::string(R::kName), "\" diverged: its step ", std::string(how),
      "; the minibatch was rejected and the model is as it was: ", std::string(R::kRemedy)));
}

// CheckStep: whether a step is one to publish. (A fit says so itself.)
template <class R, class Q>
absl::Status CheckStep(const R& rule, const Q& prior, const Q& next,
                       const typename R::State& next_state, Divergences& divergences,
                       StepReport& report) {
  if (!next.IsFinite()) return Diverged(rule, "is not finite");
  // A square may overflow where the step that it divides does not.
  double zero = 0;  // 0 · x is NaN for the x that are not finite
  ForEachArray(next_state, [&](const auto& values) { zero += (0 * values.array()).sum(); });
  if (!(zero == 0)) return Diverged(rule, "left averages that are not finite");
  if (!rule.HasCurvature(next_state)) return absl::OkStatus();
  auto& divergence = std::get<typename Q::Divergence>(divergences);
  const std::optional<double> kl = divergence.Kl(next, prior);
  if (!kl.has_value()) return absl::OkStatus();
  report.kl = *kl;
  const double most = kMaxKlPerWeight * static_cast<double>(next.size());
  if (*kl <= most) return absl::OkStatus();
  return Diverged(
      rule, absl::StrFormat("moved the posterior by %.3g nats, of which %.3g would be too much",
                            *kl, most));
}

template <class R, class Q>
requires Steps<R, Q> absl::Status Learn(const Fitting& f, const R& rule, const Q& prior, Q& next,
                                        RuleState& next_rule) {
  const auto& state = StateOf<R>(f.belief.rule);
  auto& next_state = StateOf<R>(next_rule);
  absl::Status status;
  if (rule.mode.dataset()) {
    f.report.passes = 1;
    status = StepDataset(f, rule, prior, state, next, next_state);
  } else {
    next_state = state;  // as fresh as it was
    status = StepRecursive(f, rule, prior, next);
  }
  return status.ok() ? CheckStep(rule, prior, next, next_state, f.all.divergences, f.report)
                     : status;
}

// REQUIRES: StandAtPrior.
template <class R, class Q>
requires Fits<R, Q> absl::Status Learn(const Fitting& f, const R& rule, const Q&, Q& next,
                                       RuleState& next_rule) {
  StateOf<R>(next_rule) = StateOf<R>(f.belief.rule);
  auto& local = std::get<typename Q::Projector>(f.w.projectors);
  if (absl::Status status = local.CheckRoom(); !status.ok()) return status;
  return rule.Fit(f.w.expansion, local, f.StreamOf(0), f.all.rule, f.report, next);
}

}  // namespace

absl::Status FitBelief(const Problem& problem, std::int64_t revision, const Belief& belief,
                       std::size_t k, Workspace& w, Belief& next, StepReport& report) {
  const Fitting f{problem, revision, problem.PriorOf(static_cast<Index>(k)), belief, w.beliefs[k],
                  w,       report};
  const bool drifts = !problem.setting().linear && Drifts(problem, k);
  return std::visit(
      [&]<class R, class Q>(const R& rule, const Q& prior) -> absl::Status {
        if constexpr (Updates<R, Q>) {
          absl::Status status = WeighRows(problem, next.noise, f.w);
          if (!status.ok()) return status;
          if constexpr (Fits<R, Q>) status = StandAtPrior(problem, f.w);
          if (!status.ok()) return status;
          if (problem.noise().learned()) KeepPriorLogits(f.w);
          if (!std::holds_alternative<Q>(next.posterior)) next.posterior.emplace<Q>();
          status = Learn(f, rule, prior, std::get<Q>(next.posterior), next.rule);
          if (status.ok()) rule.Describe(StateOf<R>(std::as_const(next.rule)), report);
          return status;
        }
        return absl::InternalError("the rule cannot update this posterior");
      },
      drifts ? problem.drifting_rule : problem.rule, *f.w.prior);
}

}  // namespace prequel
