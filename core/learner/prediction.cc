#include "core/learner/prediction.h"

#include <cmath>
#include <type_traits>
#include <variant>

#include "core/learner/doubting/logit_doubts.h"
#include "core/learner/drifting/in_turn.h"
#include "core/learner/drifting/steps.h"
#include "core/learner/noise.h"
#include "core/learner/reweighing.h"
#include "core/posteriors/posterior.h"
#include "core/random/lanes.h"

namespace prequel {
namespace {

// StandAtMean computes the logits at the prior's mean, by a forward pass alone.
void StandAtMean(BeliefWorkspace& w) {
  std::visit([&](const auto& q) { w.expansion.Forward(q.mean); }, *w.prior);
  w.at_mean = true;
}

// PredictLogits computes the logits of what the expansion is bound to: linearised at the mean; or
// at the mean, and exact.
absl::Status PredictLogits(const Problem& problem, const Belief& belief, BeliefWorkspace& w) {
  if (MatchedTo(problem, belief.rule).kind == MatchedPredictive::Kind::kMean) {
    StandAtMean(w);
    w.expansion.moments().covariance.resize(w.expansion.num_logits(), 0);
  } else if (absl::Status status = StandAtPrior(problem, w); !status.ok()) {
    return status;
  }
  return absl::OkStatus();
}

// AddLinearized adds the logits of a belief that stands still, or has drifted as a whole.
absl::Status AddLinearized(const Problem& problem, const Belief& belief, BeliefWorkspace& w,
                           LogitMoments& member) {
  if (absl::Status status = PredictLogits(problem, belief, w); !status.ok()) return status;
  member.mean = w.expansion.moments().mean;
  member.covariance = w.expansion.moments().covariance;
  return absl::OkStatus();
}

// AddInSteps adds those of a belief that drifts: the rows of each step with the drift up to its
// end.
absl::Status AddInSteps(const Problem& problem, const Belief& belief, std::size_t k,
                        const Matrix& inputs, const Place& place, BeliefWorkspace& w,
                        Workspace& all, LogitMoments& member) {
  const Index logits = problem.num_logits();
  member.mean.resize(logits, inputs.cols());
  const Index steps = NumSteps(problem, place.rows);
  double drifted = 0;
  for (Index s = 0; s < steps; ++s) {
    const Step step = StepOf(place.rows, steps, s);
    const Step here = Overlap(step, place.first, inputs.cols());
    if (here.count == 0) continue;
    const double end = place.Until(step.first + step.count - 1);
    if (drifted == 0) {
      DriftTo(problem, belief.posterior, k, end, all.dynamics, w);
    } else {
      DriftOn(problem, k, end - drifted, all.dynamics, w);
    }
    drifted = end;
    w.step_inputs = inputs.middleCols(here.first, here.count);
    w.expansion.Bind(problem.model, problem.likelihood, w.step_inputs, all.targets, w.noise);
    w.at_mean = w.projected = false;
    if (absl::Status status = PredictLogits(problem, belief, w); !status.ok()) return status;
    const LogitMoments& moments = w.expansion.moments();
    member.mean.middleCols(here.first, here.count) = moments.mean;
    const Index columns = moments.exact() ? 0 : logits;  // of each row
    member.covariance.resize(logits, columns * inputs.cols());
    member.covariance.middleCols(columns * here.first, columns * here.count) = moments.covariance;
  }
  return absl::OkStatus();
}

// PrepareDraws factorises w.prior, which has drifted for `time` rows, to draw from it.
absl::Status PrepareDraws(const Sampling& sampling, double time, BeliefWorkspace& w) {
  if (sampling.follows && w.sampled_after == time) return absl::OkStatus();
  if (sampling.proceed) {
    if (absl::Status status = sampling.proceed(); !status.ok()) return status;
  }
  w.sampled_after = time;
  return std::visit(
      [&]<class Q>(const Q& prior) {
        return std::get<typename Q::Sampler>(w.samplers).Prepare(prior);
      },
      *w.prior);
}

// AddDraws adds one member per draw of θ. REQUIRES: PrepareDraws.
absl::Status AddDraws(const Problem& problem, std::int64_t revision, int draws,
                      const Sampling& sampling, const Matrix& inputs, BeliefWorkspace& w,
                      Workspace& all) {
  constexpr double kFlops = 1 << 20;  // between two times that it is asked whether to go on
  const double most = kFlops / StoredNumbers(problem.prototype(), problem.layers);
  const int at_once = most > 1 ? static_cast<int>(most) : 1;
  // A covariance in units of the noise is taken at the noise's point estimate.
  const bool in_noise_units = problem.in_noise_units();
  if (in_noise_units) NoiseOfWeights(problem, w.noise, w.noise_of_weights);
  return std::visit(
      [&]<class Q>(const Q& prior) {
        auto& sampler = std::get<typename Q::Sampler>(w.samplers);
        Vector& theta = all.rule.theta;
        Stream stream{problem.config.seed, static_cast<std::uint64_t>(revision), 0};
        for (int k = 0; k < draws; ++k) {
          if (sampling.proceed && k % at_once == 0) {
            if (absl::Status status = sampling.proceed(); !status.ok()) return status;
          }
          stream.lane = kPredictLane + static_cast<std::uint32_t>(k);
          sampler.Draw(stream, theta);
          if (in_noise_units) {
            theta = prior.mean + w.noise_of_weights.cwiseProduct(theta - prior.mean);
          }
          w.expansion.Forward(theta);
          LogitMoments& member = all.predictive.AddMember(1.0 / draws);
          member.mean = w.expansion.moments().mean;
          member.covariance.resize(member.mean.rows(), 0);
          AddDoubts(problem, theta, inputs, all.doubts, w.noise, all.doubting, member);
        }
        return absl::OkStatus();
      },
      *w.prior);
}

// BindTo binds to the belief after the drift up to the last row, and to the rows that it is asked
// about.
void BindTo(const Problem& problem, const Belief& belief, std::size_t k, const Matrix& inputs,
            const Place& place, BeliefWorkspace& w, Workspace& all) {
  w.expansion.Bind(problem.model, problem.likelihood, inputs, all.targets, w.noise);
  w.at_mean = w.projected = false;
  w.prior = &belief.posterior;
  if (Drifts(problem, k)) {
    DriftTo(problem, belief.posterior, k, place.time(), all.dynamics, w);
  }
}

// AddWhole adds the one member of a belief that is linearised, or taken at its mean.
absl::Status AddWhole(const Problem& problem, const Belief& belief, std::size_t k,
                      const Matrix& inputs, const Place& place, BeliefWorkspace& w, Workspace& all,
                      LogitMoments& member) {
  if (LearnsInTurn(problem, k)) {
    if (!all.in_turn.used) DesignRows(problem, inputs, all);
    all.in_turn.used = true;
    PredictInTurn(problem, belief, k, place, all, member);
    return absl::OkStatus();
  }
  if (LearnsInSteps(problem, k, place.rows)) {
    return AddInSteps(problem, belief, k, inputs, place, w, all, member);
  }
  BindTo(problem, belief, k, inputs, place, w, all);
  return AddLinearized(problem, belief, w, member);
}

// AddBelief adds the members of a belief, of the weight all.weights[first].
absl::Status AddBelief(const Problem& problem, const LearnerState& state, std::size_t k,
                       Index first, const Matrix& inputs, const Place& place,
                       const Sampling& sampling, Workspace& all) {
  const Belief& belief = state.beliefs[k];
  BeliefWorkspace& w = all.beliefs[k];
  PredictiveNoise(problem, state.targets, belief.noise, w.noise);
  all.predictive.AddBelief(all.weights[first], w.noise);
  const int draws = DrawsOf(problem, belief.rule, sampling.samples);
  if (draws == 0) {
    LogitMoments& member = all.predictive.AddMember(1);
    absl::Status status = AddWhole(problem, belief, k, inputs, place, w, all, member);
    if (!status.ok()) return status;
    AddDoubts(problem, MeanOf(belief.posterior), inputs, all.doubts, w.noise, all.doubting, member);
    return status;
  }
  BindTo(problem, belief, k, inputs, place, w, all);
  absl::Status status = PrepareDraws(sampling, Drifts(problem, k) ? place.time() : 0, w);
  return status.ok() ? AddDraws(problem, state.revision, draws, sampling, inputs, w, all) : status;
}

// AddTracks adds the tracks of belief k, which share its members.
void AddTracks(const Problem& problem, const LearnerState& state, std::size_t k, Index first,
               const Place& place, Workspace& all) {
  const Belief& belief = state.beliefs[k];
  for (Index t = 1; t <= static_cast<Index>(belief.tracks.size()); ++t) {
    TrackNoise(problem, state.targets, belief, t, static_cast<double>(place.rows), all.track_noise);
    all.predictive.AddTrack(all.weights[first + t], all.track_noise);
  }
}

// NoiseOfLast says how sure the last target is of itself, in the units that the model learns in.
void NoiseOfLast(const References& references, const ReferenceState& last, const TargetUnits& units,
                 NoiseLevel& out) {
  constexpr double kFirstDof = 3;  // the fewest whole number of them with a finite variance
  const Index outputs = units.scale.size();
  out.variance.resize(outputs);
  out.dof.setConstant(outputs, kFirstDof + last.judged);
  for (Index o = 0; o < outputs; ++o) {
    const double deviation = references.LastDeviation(last, o, units.scale[o]) / units.scale[o];
    out.variance[o] = deviation * deviation;
  }
}

// AddPersistence adds the last target again, of each row: a member whose logits are known, with
// noise of its own.
void AddPersistence(const Problem& problem, const ReferenceState& last, Index hypothesis,
                    Index rows, Workspace& all) {
  const References references = problem.references();
  const TargetUnits& units = all.predictive.units();
  NoiseLevel& noise = all.track_noise;
  noise.variance.resize(0);
  noise.dof.resize(0);
  noise.largest.resize(0);
  noise.is_unit = false;
  if (!problem.classes()) NoiseOfLast(references, last, units, noise);
  all.predictive.AddBelief(all.weights[hypothesis], noise);
  LogitMoments& member = all.predictive.AddMember(1);
  member.mean.setZero(problem.num_logits(), rows);
  member.covariance.resize(problem.num_logits(), 0);
  if (problem.classes()) {
    Vector& p = all.references.of_last;
    references.LastClass(last, p);
    if (member.mean.rows() == 1) {
      member.mean.setConstant(std::log(p[1]) - std::log(p[0]));
    } else {
      for (Index c = 0; c < p.size(); ++c) member.mean.row(c).setConstant(std::log(p[c]));
    }
  } else if (last.last.size() > 0) {
    for (Index o = 0; o < member.mean.rows(); ++o) {
      member.mean.row(o).setConstant((last.last[o] - units.location[o]) / units.scale[o]);
    }
  }
}

// AddRestart adds the prior, with the noise of the run that is believed the most: a restart within
// the rows.
absl::Status AddRestart(const Problem& problem, const LearnerState& state, const Matrix& inputs,
                        const Sampling& sampling, Workspace& all) {
  BeliefWorkspace& w = all.restart;
  FreshNoiseAt(problem, state.beliefs[BelievedRun(problem, state)].noise, all.restart_noise);
  PredictiveNoise(problem, state.targets, all.restart_noise, w.noise);
  all.predictive.AddBelief(all.weights[all.weights.size() - 1], w.noise);
  if (all.in_turn.used) {
    PredictPrior(problem, all, all.predictive.AddMember(1));
    return absl::OkStatus();
  }
  w.expansion.Bind(problem.model, problem.likelihood, inputs, all.targets, w.noise);
  w.at_mean = w.projected = false;
  w.prior = &problem.PriorOf(problem.num_beliefs() - 1).initial;
  const Belief& belief = state.beliefs.back();
  const int draws = DrawsOf(problem, belief.rule, sampling.samples);
  if (draws == 0) return AddLinearized(problem, belief, w, all.predictive.AddMember(1));
  absl::Status status = PrepareDraws(sampling, 0, w);
  return status.ok() ? AddDraws(problem, state.revision, draws, sampling, inputs, w, all) : status;
}

}  // namespace

std::size_t BelievedRun(const Problem& problem, const LearnerState& state) {
  Index run = 0;
  state.restarts.log_weights.maxCoeff(&run);
  if (problem.run_lengths.any()) return static_cast<std::size_t>(run);
  return run == 0 ? 0 : state.beliefs.size() - 1;
}

bool Drifts(const Problem& problem, std::size_t k) {
  return std::visit(
      [&]<class T>(const T& dynamics) {
        return T::kMoves && dynamics.Moves(static_cast<Index>(k));
      },
      problem.dynamics);
}

bool LearnsInSteps(const Problem& problem, std::size_t k, Index rows) {
  return Drifts(problem, k) && !LearnsInTurn(problem, k) && NumSteps(problem, rows) > 1;
}

void DriftTo(const Problem& problem, const Posterior& posterior, std::size_t k, double time,
             DynamicsScratch& scratch, BeliefWorkspace& w) {
  w.moved = posterior;
  DriftOn(problem, k, time, scratch, w);
}

void DriftOn(const Problem& problem, std::size_t k, double time, DynamicsScratch& scratch,
             BeliefWorkspace& w) {
  w.prior = &w.moved;
  const auto index = static_cast<Index>(k);
  const Passage passage{time, problem.PriorOf(index).variances, problem.prior_mean, problem.layers,
                        index};
  std::visit(
      [&]<class T, class Q>(const T& dynamics, Q& q) {
        if constexpr (MovesPosterior<T, Q>) dynamics.Move(passage, q, scratch);
      },
      problem.dynamics, w.moved);
}

MatchedPredictive MatchedTo(const Problem& problem, const RuleState& state) {
  if (!std::visit([]<class Q>(const Q&) { return Q::kHasVariance; }, problem.prototype())) {
    return {MatchedPredictive::Kind::kMean};
  }
  return std::visit([&]<class R>(const R& rule) { return rule.PredictiveOf(StateOf<R>(state)); },
                    problem.rule);
}

int DrawsOf(const Problem& problem, const RuleState& state, int samples) {
  return samples > 0 ? samples : MatchedTo(problem, state).draws();
}

absl::Status StandAtPrior(const Problem& problem, BeliefWorkspace& w) {
  if (w.projected) return absl::OkStatus();
  return std::visit(
      [&]<class R, class Q>(const R& rule, const Q& prior) {
        auto& projector = std::get<typename Q::Projector>(w.projectors);
        absl::Status status;
        if constexpr (Fits<R, Q>) {
          const Index columns =
              rule.rounds() * w.expansion.curvature_rank() * w.expansion.examples();
          status = projector.Begin(prior, columns, rule.draws());
          if (rule.draws()) return status;
        } else {
          status = projector.Begin(prior);
        }
        if (!status.ok()) return status;
        w.expansion.Linearize(prior.mean, prior.first_uncertain());
        projector.Project(w.expansion);
        w.at_mean = w.projected = true;
        return status;
      },
      problem.rule, *w.prior);
}

absl::Status StandAt(const Posterior& posterior, BeliefWorkspace& w) {
  w.at_mean = w.projected = false;
  return std::visit(
      [&]<class Q>(const Q& q) {
        if constexpr (!Q::kHasVariance) {
          w.expansion.Forward(q.mean);
          w.expansion.moments().covariance.resize(w.expansion.num_logits(), 0);
          return absl::OkStatus();
        } else {
          auto& projector = std::get<typename Q::Projector>(w.projectors);
          if (absl::Status status = projector.Begin(q); !status.ok()) return status;
          w.expansion.Linearize(q.mean, q.first_uncertain());
          projector.Project(w.expansion);
          return absl::OkStatus();
        }
      },
      posterior);
}

void KeepPriorLogits(BeliefWorkspace& w) {
  if (!w.at_mean) StandAtMean(w);
  w.prior_logits = w.expansion.moments().mean;
}

absl::Status PredictRows(const Problem& problem, const LearnerState& state, const Matrix& inputs,
                         const Place& place, const Sampling& sampling, Workspace& w) {
  w.predictive.Reset(problem.likelihood);
  w.predictive.Calibrate(state.calibration);
  problem.target_encoder.Location(state.targets, w.predictive.units().location);
  problem.target_encoder.Scale(state.targets, w.predictive.units().scale);
  if (w.beliefs.size() < state.beliefs.size()) w.beliefs.resize(state.beliefs.size());
  PredictionWeights(problem, state, place.time(), w.weights);
  w.in_turn.used = false;
  Index first = 0;  // of the belief's hypotheses
  for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
    absl::Status status = AddBelief(problem, state, k, first, inputs, place, sampling, w);
    if (!status.ok()) return status;
    AddTracks(problem, state, k, first, place, w);
    first += 1 + static_cast<Index>(state.beliefs[k].tracks.size());
    if (problem.hypotheses.persistence && first == problem.hypotheses.persistence_index()) {
      AddPersistence(problem, state.references, first++, inputs.cols(), w);
    }
  }
  return problem.thinks_of_restarts() ? AddRestart(problem, state, inputs, sampling, w)
                                      : absl::OkStatus();
}

}  // namespace prequel
