#include "core/fold.h"

#include <variant>

#include "core/noise.h"
#include "core/predictive.h"
#include "core/random/lanes.h"
#include "core/rules/logistic_closed_form.h"

namespace prequel {
namespace {

// Below this many examples every minibatch is encoded with its own rows counted in: one of B rows
// moves running means by up to B/n deviations, which only later stops to matter.
constexpr std::int64_t kSettledExamples = 1000;

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
    absl::Status status = std::visit(
        [&]<class R, class Q>(const R& rule, const Q& prior) -> absl::Status {
          if constexpr (Updates<R, Q>) {
            if (!std::holds_alternative<Q>(next_.posterior)) next_.posterior.emplace<Q>();
            return RunFor(rows, rule, prior, std::get<Q>(next_.posterior));
          }
          return absl::InternalError("the rule cannot update this posterior");
        },
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
  absl::Status RunFor(const Batch& rows, const R& rule, const Q& prior, Q& posterior) {
    auto& fit = std::get<typename Q::Projector>(w_.projectors);
    problem_.encoder.Encode(state_.inputs, rows, w_.inputs);
    absl::Status status = problem_.target_encoder.Absorb(rows, w_.known, next_.targets);
    if (!status.ok()) return status;
    // Labels are classes however new they are; values are scored in the units known before.
    problem_.target_encoder.Encode(problem_.classes() ? next_.targets : state_.targets, rows,
                                   w_.known, w_.targets);
    if (status = Linearize(rule, prior, fit); !status.ok()) return status;
    if (status = Score(); !status.ok()) return status;

    problem_.encoder.Absorb(rows, next_.inputs);
    const bool inputs_moved = state_.examples < kSettledExamples || TablesGrew();
    if (inputs_moved) problem_.encoder.Encode(next_.inputs, rows, w_.inputs);
    problem_.target_encoder.Encode(next_.targets, rows, w_.known, w_.targets);
    FitNoise(problem_, next_.targets, state_.noise, w_.noise);
    if (inputs_moved) {
      if (status = Linearize(rule, prior, fit); !status.ok()) return status;
    }
    w_.previous_mean = w_.expansion.moments().mean;
    if (status = Fit(rule, prior, fit, posterior); !status.ok()) return status;
    StateOf<R>(next_.rule) = StateOf<R>(state_.rule);
    if (!posterior.IsFinite()) {
      return absl::InternalError("the posterior is not finite after this minibatch");
    }
    LearnNoise(posterior.mean);
    next_.evaluation.Absorb(tally_, problem_.config.evaluation_window);
    return absl::OkStatus();
  }

  // Leaves `fit` at its prior, projected onto the linearisation at the prior mean.
  template <class R, class Q, class Local>
  absl::Status Linearize(const R& rule, const Q& prior, Local& fit) {
    Expansion& expansion = w_.expansion;
    expansion.Bind(problem_.model, problem_.likelihood, w_.inputs, w_.targets, w_.noise);
    absl::Status status = fit.Begin(prior, rule.Columns(expansion), rule.draws());
    if (!status.ok()) return status;
    expansion.Linearize(prior.mean);
    fit.Project(expansion);
    return absl::OkStatus();
  }

  absl::Status Score() {
    if (!problem_.target_encoder.HasScale(state_.targets)) {
      next_.evaluation.unscored_rows += report_.rows;
      return absl::OkStatus();
    }
    const int samples = MatchedSamples(problem_);
    absl::Status status = samples > 0
                              ? SampledLogits(problem_, state_, w_.inputs, samples, w_)
                              : LinearizedLogits(problem_, state_, w_.expansion.moments(), w_);
    if (!status.ok()) return status;
    tally_ = ScorePredictive(problem_, state_, w_.targets, w_);
    return absl::OkStatus();
  }

  bool TablesGrew() const { return next_.inputs.tables != state_.inputs.tables; }

  template <class R, class Q, class Local>
  absl::Status Fit(const R& rule, const Q& prior, Local& fit, Q& posterior) {
    if constexpr (std::is_same_v<R, Rvga> && std::is_same_v<Q, FullGaussian>) {
      if (rule.over == Rvga::Over::kClosedForm) {
        report_.passes = 1;
        return FitLogisticClosedForm(w_.expansion, prior, w_.rule.draws, w_.rule.theta, posterior);
      }
    }
    const Stream stream{problem_.config.seed, static_cast<std::uint64_t>(state_.revision),
                        kRuleLane};
    absl::Status status = rule.Fit(w_.expansion, fit, stream, w_.rule, report_);
    if (status.ok()) fit.Commit(posterior);
    return status;
  }

  // β += ½ rᵀ S⁻¹ r with r = y − f_{m_{t−1}}, S = I + J P Jᵀ/σ²; on the linear model
  // S⁻¹ r = y − f_{m_t}, which is how it is computed here (and never less than |y − f_{m_t}|²).
  void LearnNoise(const Vector& mean) {
    if (next_.noise.shape.size() == 0) return;
    w_.expansion.Forward(mean);
    const Matrix& after = w_.expansion.moments().mean;
    const auto rows = static_cast<double>(after.cols());
    for (Index c = 0; c < after.rows(); ++c) {
      const auto residual = w_.targets.row(c) - after.row(c);
      const double energy = residual.dot(w_.targets.row(c) - w_.previous_mean.row(c));
      next_.noise.shape[c] += 0.5 * rows;
      next_.noise.rate[c] += 0.5 * std::max(energy, residual.squaredNorm());
    }
  }

  const Problem& problem_;
  const LearnerState& state_;
  Workspace& w_;
  LearnerState& next_;
  StepReport report_;
  Tally tally_;
};

}  // namespace

absl::StatusOr<Learned> Fold(const Problem& problem, const LearnerState& state, const Batch& batch,
                             Workspace& workspace, LearnerState& next) {
  return Step(problem, state, workspace, next).Run(batch);
}

}  // namespace prequel
