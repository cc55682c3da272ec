#include "core/learner/reweighing.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

// MixRuns turns the log densities of the latest run to those of the hypothesis of restarts, which
// the first belief is a run of as well.
void MixRuns(const Problem& problem, const RestartState& restarts, double time,
             Matrix& log_densities) {
  const Index run = problem.hypotheses.size() - 1;
  const Eigen::Vector3d log_weights = problem.restarts.Weights(restarts, time).array().log();
  for (Index i = 0; i < log_densities.cols(); ++i) {
    Eigen::Vector3d terms(log_densities(0, i), log_densities(run, i), log_densities(run + 1, i));
    terms += log_weights;
    const double greatest = terms.maxCoeff();
    const double mixed = greatest + std::log((terms.array() - greatest).exp().sum());
    log_densities(run, i) = std::isfinite(greatest) ? mixed : greatest;
  }
}

// SplitRuns turns the weight of the hypothesis of restarts to those of its runs: the first
// belief's, which is one of them, has its part of it, and two more are of the latest and of a new
// one.
void SplitRuns(const Problem& problem, const RestartState& restarts, double time, Vector& weights) {
  if (!problem.restarts.any()) return;
  const Index run = problem.hypotheses.size() - 1;
  const Eigen::Vector3d runs = weights[run] * problem.restarts.Weights(restarts, time);
  weights[0] += runs[0];
  weights.tail<2>() = runs.tail<2>();
}

void WeighByRuns(LearnerState& state) {
  for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
    state.beliefs[k].log_weight = state.restarts.log_weights[static_cast<Index>(k)];
  }
}

// ReweighByBayes is for beliefs that no dynamics mix: w_k ∝ w_k Π_i p_k(y_i), Bayes' rule.
bool ReweighByBayes(const Matrix& log_densities, LearnerState& next) {
  double greatest = -HUGE_VAL;
  for (std::size_t k = 0; k < next.beliefs.size(); ++k) {
    double& log_weight = next.beliefs[k].log_weight;
    log_weight += log_densities.row(static_cast<Index>(k)).sum();
    greatest = std::max(greatest, log_weight);
  }
  if (!std::isfinite(greatest)) return false;
  double sum = 0;
  for (const Belief& belief : next.beliefs) sum += std::exp(belief.log_weight - greatest);
  for (Belief& belief : next.beliefs) belief.log_weight -= greatest + std::log(sum);
  return true;
}

}  // namespace

void PredictionWeights(const Problem& problem, const LearnerState& state, double time,
                       Vector& out) {
  if (problem.run_lengths.any()) {
    out.resize(problem.run_lengths.runs() + 1);
    return problem.run_lengths.Weights(state.restarts, time, out);
  }
  if (!problem.mixing.mixes()) {
    out.resize(static_cast<Index>(state.beliefs.size()));
    for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
      out[static_cast<Index>(k)] = std::exp(state.beliefs[k].log_weight);
    }
    return;
  }
  const Index hypotheses = problem.hypotheses.size();
  out.resize(hypotheses + (problem.restarts.any() ? 1 : 0));
  Mixing::Weights(state.mixing, out.head(hypotheses));
  SplitRuns(problem, state.restarts, time, out);
}

bool Reweigh(const Problem& problem, double time, Matrix& log_densities, MixingScratch& scratch,
             LearnerState& next, Index& begun) {
  begun = -1;
  if (problem.run_lengths.any()) {
    scratch.evidence = log_densities.rowwise().sum();
    if (!problem.run_lengths.Absorb(scratch.evidence, time, next.restarts, begun)) return false;
    WeighByRuns(next);
    return true;
  }
  if (!problem.mixing.mixes()) return ReweighByBayes(log_densities, next);
  const Index hypotheses = problem.hypotheses.size();
  if (problem.restarts.any()) {
    const Eigen::Vector3d sums(log_densities.row(0).sum(), log_densities.row(hypotheses - 1).sum(),
                               log_densities.row(hypotheses).sum());
    MixRuns(problem, next.restarts, time, log_densities);
    if (problem.restarts.Absorb(sums, time, next.restarts)) {
      begun = problem.hypotheses.beliefs() - 1;
    }
  }
  if (!problem.mixing.Absorb(log_densities.topRows(hypotheses), next.mixing, scratch)) return false;
  WeighBeliefs(problem, scratch.weights, next);
  scratch.believed.resize(scratch.weights.size());
  Mixing::Believed(next.mixing, scratch, scratch.believed.head(hypotheses));
  SplitRuns(problem, next.restarts, 0, scratch.believed);
  return true;
}

void WeighBeliefs(const Problem& problem, Vector& weights, LearnerState& state) {
  if (problem.run_lengths.any()) return WeighByRuns(state);
  if (!problem.mixing.mixes()) return;
  PredictionWeights(problem, state, 0, weights);
  const Hypotheses& of = problem.hypotheses;
  for (Index k = 0; k < of.beliefs(); ++k) {
    const double weight = weights.segment(of.IndexOf(k, 0), of.tracks_of(k)).sum();
    state.beliefs[static_cast<std::size_t>(k)].log_weight = std::log(weight);
  }
}

}  // namespace prequel
