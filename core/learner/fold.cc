#include "core/learner/fold.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/archive/each_array.h"
#include "core/learner/noise.h"
#include "core/predictive/predictive.h"
#include "core/random/lanes.h"
#include "core/rules/logistic_closed_form.h"

namespace prequel {
namespace {

// Below this many examples every minibatch is encoded with its own rows counted in: one of B rows
// moves running means by up to B/n deviations, which only later stops to matter.
constexpr std::int64_t kSettledExamples = 1000;

// A step that moves q by more than this is an accident, not learning: a hundred standard
// deviations in every weight, where one good step is a few.
constexpr double kMaxKlPerWeight = 5000;

class Step {
 public:
  Step(const Problem& problem, const LearnerState& state, Workspace& workspace, LearnerState& next)
      : problem_(problem), state_(state), w_(workspace), next_(next) {}

  absl::StatusOr<Learned> Run(const Batch& batch) {
    const Batch& rows = KnownRows(batch);
    CarryOver(batch);
    if (rows.rows() == 0) {
      next_.posterior = state_.posterior;
      next_.rule = state_.rule;
      return Learned{{}, report_};
    }
    absl::Status status =
        std::visit([&](const auto& rule, const auto& prior) { return Dispatch(rows, rule, prior); },
                   problem_.rule, state_.posterior);
    if (!status.ok()) return status;
    return Learned{tally_.Average(problem_.classes()), report_};
  }

 private:
  const Batch& KnownRows(const Batch& batch) {
    problem_.target_encoder.Select(batch, w_.known);
    const auto known = static_cast<Index>(w_.known.size());
    report_.rows = known;
    report_.skipped_rows = batch.rows() - known;
    if (report_.skipped_rows == 0) return batch;
    SelectRows(batch, w_.known, w_.selected);
    problem_.target_encoder.Select(w_.selected, w_.known);
    return w_.selected;
  }

  void CarryOver(const Batch& batch) {
    next_.revision = state_.revision + 1;
    next_.examples = state_.examples + report_.rows;
    next_.inputs = state_.inputs;
    next_.targets = state_.targets;
    next_.noise = state_.noise;
    next_.evaluation = state_.evaluation;
    next_.evaluation.skipped_rows += batch.rows() - report_.rows;
  }

  template <class R, class Q>
  absl::Status Dispatch(const Batch& rows, const R& rule, const Q& prior) {
    if constexpr (Updates<R, Q>) {
      if (!std::holds_alternative<Q>(next_.posterior)) next_.posterior.emplace<Q>();
      return RunFor(rows, rule, prior, std::get<Q>(next_.posterior));
    }
    return absl::InternalError("the rule cannot update this posterior");
  }

  template <class R, class Q>
  absl::Status RunFor(const Batch& rows, const R& rule, const Q& prior, Q& posterior) {
    problem_.encoder.Encode(state_.inputs, rows, w_.inputs);
    absl::Status status = problem_.target_encoder.Absorb(rows, w_.known, next_.targets);
    if (!status.ok()) return status;
    // Labels are classes however new they are; values are scored in the units known before.
    problem_.target_encoder.Encode(problem_.classes() ? next_.targets : state_.targets, rows,
                                   w_.known, w_.targets);
    if (status = Prepare(rule, prior, true); !status.ok()) return status;
    if (status = Score(); !status.ok()) return status;

    problem_.encoder.Absorb(rows, next_.inputs);
    const bool inputs_moved = state_.examples < kSettledExamples || TablesGrew();
    if (inputs_moved) problem_.encoder.Encode(next_.inputs, rows, w_.inputs);
    problem_.target_encoder.Encode(next_.targets, rows, w_.known, w_.targets);
    FitNoise(problem_, next_.targets, state_.noise, w_.noise);
    if (inputs_moved) {
      if (status = Prepare(rule, prior, false); !status.ok()) return status;
    }
    RememberLogits(rule, prior);
    status = Learn(rule, prior, posterior);
    if (status.ok()) status = CheckStep(rule, prior, posterior);
    if (!status.ok()) return status;
    if (status = LearnNoise(posterior.mean); !status.ok()) return status;
    ReportPhase(rule);
    next_.evaluation.Absorb(tally_, problem_.config.evaluation_window);
    return absl::OkStatus();
  }

  // What the rule needs before its update, and when `scoring`, what the predictive needs too: for a
  // fitting rule the projector at its prior, projected onto the linearisation at the prior mean.
  template <class R, class Q>
  absl::Status Prepare(const R& rule, const Q& prior, bool scoring) {
    w_.expansion.Bind(problem_.model, problem_.likelihood, w_.inputs, w_.targets, w_.noise);
    at_mean_ = false;
    if constexpr (Fits<R, Q>) {
      auto& fit = std::get<typename Q::Projector>(w_.projectors);
      absl::Status status = fit.Begin(prior, rule.Columns(w_.expansion), rule.draws());
      if (!status.ok()) return status;
      w_.expansion.Linearize(prior.mean, FirstUncertain(prior));
      fit.Project(w_.expansion);
    } else if (scoring && MatchedTo(problem_, state_).draws() == 0) {
      at_mean_ = true;
      return MeanLogits(problem_, state_, w_);
    }
    return absl::OkStatus();
  }

  absl::Status Score() {
    if (!problem_.target_encoder.HasScale(state_.targets)) {
      next_.evaluation.unscored_rows += report_.rows;
      return absl::OkStatus();
    }
    const int samples = MatchedTo(problem_, state_).draws();
    absl::Status status = samples > 0
                              ? SampledLogits(problem_, state_, w_.inputs, samples, w_)
                              : LinearizedLogits(problem_, state_, w_.expansion.moments(), w_);
    if (!status.ok()) return status;
    const auto extreme = [] {
      return absl::InternalError(
          "the prediction of the minibatch is not finite: its inputs are too extreme for what the "
          "model has learned; it was rejected and the model is as it was");
    };
    if (!w_.members.front().mean.allFinite()) return extreme();
    tally_ = ScorePredictive(problem_, state_, w_.targets, w_);
    return std::isnan(tally_.nll) ? extreme() : absl::OkStatus();
  }

  bool TablesGrew() const { return next_.inputs.tables != state_.inputs.tables; }

  // The logits at the prior mean, which learned noise is reckoned from.
  template <class R, class Q>
  void RememberLogits(const R&, const Q& prior) {
    if (next_.noise.shape.size() == 0) return;
    if (!Fits<R, Q> && !at_mean_) {
      w_.expansion.Forward(prior.mean);
      at_mean_ = true;
    }
    w_.previous_mean = w_.expansion.moments().mean;
  }

  template <class R, class Q>
  absl::Status Learn(const R& rule, const Q& prior, Q& posterior) {
    StateOf<R>(next_.rule);
    if constexpr (Fits<R, Q>) {
      StateOf<R>(next_.rule) = StateOf<R>(state_.rule);
      return Fit(rule, prior, posterior);
    } else if (rule.mode.dataset()) {
      report_.passes = 1;
      const StepInput input =
          Input(problem_.prior_mean, problem_.prior_precision, nullptr, rule.mode.dataset_size, 0);
      return rule.Step(input, prior, StateOf<R>(state_.rule), posterior, StateOf<R>(next_.rule));
    } else {
      StateOf<R>(next_.rule) = StateOf<R>(state_.rule);  // as fresh as it was
      return Pass(rule, prior, posterior);
    }
  }

  template <class R>
  void ReportPhase(const R& rule) {
    [[maybe_unused]] const auto& state = StateOf<R>(std::as_const(next_.rule));
    if constexpr (requires { rule.PhaseOf(state); }) {
      report_.phase = rule.PhaseOf(state);
      report_.converged = rule.Converged(state);
    }
  }

  template <class R, class Q>
  absl::Status Fit(const R& rule, const Q& prior, Q& posterior) {
    if constexpr (std::is_same_v<R, Rvga> && std::is_same_v<Q, FullGaussian>) {
      if (rule.over == Rvga::Over::kClosedForm) {
        report_.passes = 1;
        return FitLogisticClosedForm(w_.expansion, prior, w_.rule.draws, w_.rule.theta, posterior);
      }
    }
    auto& fit = std::get<typename Q::Projector>(w_.projectors);
    absl::Status status = rule.Fit(w_.expansion, fit, StreamOf(0), w_.rule, report_);
    if (status.ok()) status = fit.Commit(posterior);
    return status;
  }

  // The passes of recursive mode, all anchored to q_{t−1}: the first reads it, the later ones step
  // `posterior` in place.
  template <class R, class Q>
  absl::Status Pass(const R& rule, const Q& prior, Q& posterior) {
    auto& passing = StateOf<R>(w_.passing);
    passing.steps = 0;
    const auto rows = static_cast<double>(w_.expansion.examples());
    absl::Status status;
    for (Index pass = 0; pass < rule.mode.passes && status.ok(); ++pass) {
      const StepInput input =
          Input(prior.mean, PrecisionOf(prior), CovarianceOf(prior), rows, pass);
      status = rule.Step(input, pass == 0 ? prior : posterior, passing, posterior, passing);
      at_mean_ = false;
    }
    report_.passes = static_cast<int>(rule.mode.passes);
    return status;
  }

  // diag Λ_{t−1}; of a family that is not diagonal, whose rules take q itself as the prior, the
  // model's.
  template <class Q>
  const Vector& PrecisionOf(const Q& prior) const {
    if constexpr (requires { prior.precision; }) return prior.precision;
    return problem_.prior_precision;
  }

  template <class Q>
  static const Matrix* CovarianceOf(const Q& prior) {
    if constexpr (requires { prior.covariance; }) return &prior.covariance;
    return nullptr;
  }

  StepInput Input(const Vector& mean, const Vector& precision, const Matrix* covariance,
                  double examples, Index pass) {
    return {w_.expansion, at_mean_, mean, precision, covariance, examples, StreamOf(pass), w_.rule};
  }

  Stream StreamOf(Index pass) const {
    return {problem_.config.seed, static_cast<std::uint64_t>(state_.revision),
            kRuleLane + static_cast<std::uint32_t>(pass * StepInput::kMaxDraws)};
  }

  // Whether the step is one to publish.
  template <class R, class Q>
  absl::Status CheckStep(const R& rule, const Q& prior, const Q& posterior) {
    if constexpr (Steps<R, Q>) {
      if (!posterior.IsFinite()) return Diverged(rule, "is not finite");
      // A square may overflow where the step that it divides does not.
      double zero = 0;  // 0 · x is NaN for the x that are not finite
      ForEachArray(StateOf<R>(next_.rule),
                   [&](const auto& values) { zero += (0 * values.array()).sum(); });
      if (!(zero == 0)) return Diverged(rule, "left averages that are not finite");
      if constexpr (requires { rule.HasCurvature(StateOf<R>(next_.rule)); }) {
        if (!rule.HasCurvature(StateOf<R>(next_.rule))) return absl::OkStatus();
      }
      auto& divergence = std::get<typename Q::Divergence>(w_.divergences);
      if constexpr (requires { divergence.Kl(posterior, prior); }) {
        report_.kl = divergence.Kl(posterior, prior);
        const double most = kMaxKlPerWeight * static_cast<double>(posterior.size());
        if (!(report_.kl <= most)) {
          return Diverged(rule, absl::StrFormat("moved the posterior by %.3g nats, of which %.3g "
                                                "would be too much",
                                                report_.kl, most));
        }
      }
    }
    return absl::OkStatus();  // a fit says so itself
  }

  template <class R>
  static absl::Status Diverged(const R&, std::string_view how) {
    return absl::InternalError(absl::StrCat(
        "rule \"", std::string(R::kName), "\" diverged: its step ", std::string(how),
        "; the minibatch was rejected and the model is as it was: ", std::string(R::kRemedy)));
  }

  // β += ½ rᵀ S⁻¹ r with r = y − f_{m_{t−1}}, S = I + J P Jᵀ/σ²; on the linear model
  // S⁻¹ r = y − f_{m_t}, which is how it is computed here (and never less than |y − f_{m_t}|²).
  absl::Status LearnNoise(const Vector& mean) {
    if (next_.noise.shape.size() == 0) return absl::OkStatus();
    w_.expansion.Forward(mean);
    const Matrix& after = w_.expansion.moments().mean;
    const auto rows = static_cast<double>(after.cols());
    ForgetRepeated(problem_, after.cols(), next_.noise);
    for (Index c = 0; c < after.rows(); ++c) {
      const auto residual = w_.targets.row(c) - after.row(c);
      const double energy = residual.dot(w_.targets.row(c) - w_.previous_mean.row(c));
      next_.noise.shape[c] += 0.5 * rows;
      next_.noise.rate[c] += 0.5 * std::max(energy, residual.squaredNorm());
    }
    if (next_.noise.rate.allFinite()) return absl::OkStatus();
    return absl::InternalError("the learned noise overflows: the targets are too extreme");
  }

  const Problem& problem_;
  const LearnerState& state_;
  Workspace& w_;
  LearnerState& next_;
  bool at_mean_ = false;  // the expansion holds Forward at the prior mean
  StepReport report_;
  Tally tally_;
};

}  // namespace

absl::StatusOr<Learned> Fold(const Problem& problem, const LearnerState& state, const Batch& batch,
                             Workspace& workspace, LearnerState& next) {
  return Step(problem, state, workspace, next).Run(batch);
}

}  // namespace prequel
