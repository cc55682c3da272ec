#include "core/learner/drifting/in_turn.h"

#include <algorithm>
#include <variant>

#include "core/learner/drifting/steps.h"
#include "core/learner/noise.h"
#include "core/learner/prediction.h"
#include "core/learner/weighing.h"
#include "core/rules/fit_row.h"

namespace prequel {
namespace {

using Filtered = RowFilter::Posterior;  // the family of beliefs that meet rows in turn

constexpr Index kMostInTile = 256;  // rows that are predicted at a time

// DriftRecorder is a covariance that only remembers what became of it.
struct DriftRecorder {
  static constexpr bool kDiffuses = true;
  VectorRef root, added;

  void Diffuse(const Vector& keep, const Vector& plus, Matrix& /*scratch*/) {
    root = keep.cwiseSqrt();
    added = plus;
  }
};

bool FitsRowOf(const Problem& problem) {
  return std::visit(
      []<class R>(const R& rule) {
        if constexpr (RowRule<R>) return FitsRow(rule);
        return false;
      },
      problem.rule);
}

// IsDiffusion: whether all that the dynamics do to a belief is that its covariance grows.
bool IsDiffusion(const Problem& problem) {
  return std::visit([]<class T>(const T&) { return MovesPosterior<T, DriftRecorder>; },
                    problem.dynamics);
}

// DescribeDrift writes what belief k drifts in `time` to column j.
void DescribeDrift(const Problem& problem, std::size_t k, double time, Index j,
                   DynamicsScratch& scratch, RowDrift& out) {
  const auto index = static_cast<Index>(k);
  const Passage passage{time, problem.PriorOf(index).variances, problem.prior_mean, problem.layers,
                        index};
  DriftRecorder recorder{out.root.col(j), out.added.col(j)};
  std::visit(
      [&]<class T>(const T& dynamics) {
        if constexpr (MovesPosterior<T, DriftRecorder>) dynamics.Move(passage, recorder, scratch);
      },
      problem.dynamics);
}

// DescribeDrifts writes the drifts up to rows first, first + 1, … of the minibatch at `place`:
// `count` columns.
void DescribeDrifts(const Problem& problem, std::size_t k, const Place& place, Index first,
                    Index count, DynamicsScratch& scratch, RowDrift& out) {
  out.root.resize(problem.num_params(), count);
  out.added.resize(problem.num_params(), count);
  for (Index j = 0; j < count; ++j) {
    DescribeDrift(problem, k, place.Until(first + j), j, scratch, out);
  }
}

// WeighInTurn returns how much row i counts in the fit, by what the filter says of it; how much for
// the noise is kept in own.noise_weights.
double WeighInTurn(const Problem& problem, const Matrix& targets, Index i, InTurnWorkspace& w,
                   BeliefWorkspace& own) {
  const double sureness = SurenessOf(own, i), count = CountOf(own, i);
  if (own.counts != nullptr) own.noise_weights[i] = count;
  if (!problem.weighs_rows()) return count * sureness;
  w.before.mean.setConstant(1, 1, w.filter.mean());
  w.before.covariance.setConstant(1, 1, w.filter.variance());
  const RowWeight weight =
      WeighRow(problem, w.before, own.weighing_noise, 0, targets.col(i), sureness);
  own.noise_weights[i] = count * weight.noise;
  return count * weight.fit;
}

// FitRows: where rows say when they happened, each drifts by itself. REQUIRES: the rule fits rows.
absl::Status FitRows(const Problem& problem, const Matrix& targets, const Place& place,
                     std::size_t k, Workspace& all, StepReport& report) {
  InTurnWorkspace& w = all.in_turn;
  BeliefWorkspace& own = all.beliefs[k];
  return std::visit(
      [&]<class R>(const R& rule) {
        absl::Status status;
        if constexpr (RowRule<R>) {
          for (Index i = 0; i < targets.cols() && status.ok(); ++i) {
            if (place.passed != nullptr) {
              DescribeDrift(problem, k, place.Before(i), 0, all.dynamics, w.block_drift);
            }
            w.filter.Advance();
            w.row.Take(targets(0, i), WeighInTurn(problem, targets, i, w, own));
            StepReport of_row;
            RowStep step;
            status = FitRow(rule, w.row, w.filter.mean(), w.filter.variance(), of_row, step);
            own.prior_logits(0, i) = w.filter.mean();
            w.after.mean(0, i) = w.filter.mean() + w.filter.variance() * step.gradient;
            w.filter.Learn(step.gradient, step.curvature);
            AddReport(of_row, report);
          }
        }
        return status;
      },
      problem.rule);
}

}  // namespace

bool LearnsInTurn(const Problem& problem, std::size_t k) {
  return Drifts(problem, k) && std::holds_alternative<Filtered>(problem.prototype()) &&
         problem.setting().linear && problem.num_logits() == 1 && FitsRowOf(problem) &&
         IsDiffusion(problem) && !problem.noise().learned_dispersion();
}

void DesignRows(const Problem& problem, const Matrix& inputs, Workspace& all) {
  Expansion& expansion = all.in_turn.expansion;
  expansion.Bind(problem.model, problem.likelihood, inputs, all.targets, all.restart.noise);
  expansion.Linearize(problem.prior_mean);
  expansion.Jacobian(all.in_turn.design);
  for (BeliefWorkspace& belief : all.beliefs) belief.has_first_products = false;
}

// PredictInTurn takes many rows in tiles, whose drift takes D × tile numbers. All tiles are of one
// size, so that nothing is allocated anew: the last begins among the rows of the one before.
void PredictInTurn(const Problem& problem, const Belief& belief, std::size_t k, const Place& place,
                   Workspace& all, LogitMoments& out) {
  InTurnWorkspace& w = all.in_turn;
  BeliefWorkspace& own = all.beliefs[k];
  const auto& q = std::get<Filtered>(belief.posterior);
  const bool each_next = place.rows == 1;  // all after one drift
  const Index rows = w.design.cols(), tiles = (rows + kMostInTile - 1) / kMostInTile;
  const Index tile = (rows + tiles - 1) / tiles;
  out.mean.resize(1, rows);
  out.covariance.resize(1, rows);
  for (Index t = 0; t < tiles; ++t) {
    const Index first = std::min(t * tile, rows - tile);
    DescribeDrifts(problem, k, place, each_next ? 0 : place.first + first, each_next ? 1 : tile,
                   all.dynamics, w.forecast_drift);
    w.forecast.Of(q, w.design.middleCols(first, tile), w.forecast_drift,
                  out.mean.middleCols(first, tile), out.covariance.middleCols(first, tile));
    if (t > 0 || each_next || place.first > 0) continue;
    own.first_products = w.forecast.products().leftCols(std::min(tile, RowFilter::kMostInBlock));
    own.has_first_products = true;
  }
}

void PredictPrior(const Problem& problem, Workspace& all, LogitMoments& out) {
  const Matrix& design = all.in_turn.design;
  const BeliefPrior& prior = problem.PriorOf(problem.num_beliefs() - 1);
  out.mean.resize(1, design.cols());
  out.mean.noalias() = problem.prior_mean.transpose() * design;
  out.covariance.resize(1, design.cols());
  out.covariance.noalias() = prior.variances.transpose() * design.cwiseAbs2();
}

absl::Status FitInTurn(const Problem& problem, const TargetState& target_state,
                       const Matrix& targets, const Place& place, const Belief& belief,
                       std::size_t k, Workspace& all, Belief& next, StepReport& report) {
  InTurnWorkspace& w = all.in_turn;
  BeliefWorkspace& own = all.beliefs[k];
  FitNoise(problem, target_state, next.noise, own.noise);
  w.row.Bind(problem.likelihood, own.noise);
  Index block = 1;  // rows that drift alike
  if (place.passed == nullptr) {
    DescribeDrifts(problem, k, place, 0, 1, all.dynamics, w.row_drift);
    w.root = w.row_drift.root.col(0);
    block = RowFilter::BlockRows(targets.cols(), w.root);
  }
  DescribeDrifts(problem, k, place, 0, block, all.dynamics, w.block_drift);
  if (!std::holds_alternative<Filtered>(next.posterior)) next.posterior.emplace<Filtered>();
  auto& q = std::get<Filtered>(next.posterior);
  next.rule = belief.rule;
  w.filter.Begin(std::get<Filtered>(belief.posterior), w.design, w.block_drift,
                 own.has_first_products ? &own.first_products : nullptr, q);
  own.prior_logits.resize(1, targets.cols());
  w.after.mean.resize(1, targets.cols());
  report.local_elbo = report.kl = 0;
  if (problem.weighs_rows()) NoiseBefore(problem, next.noise, own);
  if (NoiseWeights(problem, own) != nullptr) own.noise_weights.resize(targets.cols());
  absl::Status status = FitRows(problem, targets, place, k, all, report);
  if (!status.ok()) return status;
  w.filter.Finish();
  if (!q.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return LearnAllNoise(problem, targets, own.prior_logits, w.after, NoiseWeights(problem, own),
                       own.sure, next);
}

}  // namespace prequel
