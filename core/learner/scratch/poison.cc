#include "core/learner/scratch/poison.h"

#include <limits>
#include <variant>

namespace prequel {
namespace {

// Poisoner spoils arrays and what is made of them.
class Poisoner {
 public:
  // `resizes`: arrays get a size that fits nothing; else they keep theirs.
  explicit Poisoner(bool resizes) : resizes_(resizes) {}

  template <class... Each>
  void Arrays(Each&... arrays) const {
    (Spoil(arrays), ...);
  }
  void Noise(NoiseLevel& noise) const {
    Arrays(noise.variance, noise.dof, noise.largest);
    noise.is_unit = true;
  }
  void Moments(LogitMoments& moments) const { Arrays(moments.mean, moments.covariance); }
  void Belief(BeliefWorkspace& belief) const;
  void InTurn(InTurnWorkspace& turn) const;
  void Rule(RuleScratch& rule) const;
  void Move(UnitsMove& move) const;

 private:
  template <class Array>
  void Spoil(Array& array) const {
    constexpr Index kNoSize = 13;
    if (resizes_) array.resize(kNoSize, Array::ColsAtCompileTime == 1 ? 1 : kNoSize);
    array.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  const bool resizes_;
};

void Poisoner::Belief(BeliefWorkspace& belief) const {
  belief.prior = nullptr;
  belief.sure = belief.counts = nullptr;
  if (resizes_) belief.moved = Posterior();
  std::visit([&](auto& q) { Arrays(q.mean); }, belief.moved);
  Arrays(belief.noise_of_weights, belief.step_inputs, belief.step_targets, belief.prior_logits,
         belief.first_products, belief.row_weights, belief.noise_weights, belief.sureness,
         belief.step_sureness, belief.step_counts);
  Moments(belief.expansion.moments());
  Noise(belief.noise);
  Noise(belief.weighing_noise);
  belief.at_mean = belief.projected = belief.has_first_products = true;
}

void Poisoner::InTurn(InTurnWorkspace& turn) const {
  turn.used = true;
  Arrays(turn.design, turn.root);
  for (RowDrift* drift : {&turn.forecast_drift, &turn.row_drift, &turn.block_drift}) {
    Arrays(drift->root, drift->added);
  }
  Moments(turn.after);
  Moments(turn.before);
}

void Poisoner::Rule(RuleScratch& rule) const {
  Arrays(rule.theta, rule.draws, rule.gradient, rule.squares, rule.mean_gradient, rule.curvature,
         rule.precision, rule.jacobian, rule.columns, rule.normal);
  Arrays(rule.full.anchor, rule.full.precision, rule.full.step, rule.full.root, rule.full.jacobian,
         rule.full.curve, rule.kronecker.product);
}

void Poisoner::Move(UnitsMove& move) const {
  Arrays(move.of_inputs.slope, move.of_inputs.offset, move.of_targets.slope, move.of_targets.offset,
         move.inputs.slope, move.inputs.offset, move.outputs.gain, move.outputs.shift,
         move.outputs.spread);
  for (BlockScratch* w : {&move.scratch.first, &move.scratch.last}) {
    Arrays(w->root, w->pulled, w->inner, w->prior, w->origin, w->pull, w->gathered,
           w->unit_prior_mean, w->unit_prior);
  }
  if (resizes_) move.beliefs.clear();
}

}  // namespace

void Poison(const void* user, Workspace& w) {
  const Poisoner poison(w.user != user);
  w.user = user;
  for (BeliefWorkspace& belief : w.beliefs) poison.Belief(belief);
  poison.Belief(w.restart);
  poison.InTurn(w.in_turn);
  poison.Rule(w.rule);
  poison.Noise(w.track_noise);
  poison.Move(w.units);
  poison.Noise(w.doubting.noise);
  poison.Arrays(w.doubting.inputs, w.doubting.slopes, w.doubting.covariance);
  for (InputDoubts* doubts : {&w.doubts, &w.moved_doubts}) {
    doubts->Clear();
    doubts->Add(0, 0, std::numeric_limits<double>::quiet_NaN(), true);
  }
  poison.Arrays(w.inputs, w.moved_inputs, w.outcomes, w.targets, w.row_weights, w.passed,
                w.asked_passed, w.one_passed, w.asked_weights, w.weights, w.log_densities,
                w.watched, w.errors);
  poison.Arrays(w.restart_noise.shape, w.restart_noise.rate);
  poison.Arrays(w.dynamics.keep, w.dynamics.added, w.dynamics.pull, w.dynamics.matrix,
                w.dynamics.inner, w.dynamics.part);
  poison.Arrays(w.mixing.densities, w.mixing.told, w.mixing.mixed, w.mixing.evidence,
                w.mixing.weights, w.mixing.believed);
  poison.Arrays(w.references.probabilities, w.references.log_probabilities, w.references.of_last);
  for (auto* const rows : {&w.known, &w.kept, &w.asked_rows, &w.tile_rows}) rows->assign(3, -1);
}

}  // namespace prequel
