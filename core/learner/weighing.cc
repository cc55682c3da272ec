#include "core/learner/weighing.h"

#include <cmath>
#include <variant>

#include "core/learner/prediction.h"

namespace prequel {
namespace {

// Square is off²/variance. Neither a prediction that comes true to the last bit surprises, nor one
// that knows nothing of the noise.
double Square(double off, double variance) {
  return off == 0 || std::isinf(variance) ? 0 : off * off / variance;
}

// AddOutput adds one of `outputs` outputs, of which the prediction was off by `off`.
void AddOutput(double off, double of_noise, double of_weights, double outputs, Surprise& surprise) {
  surprise.by_noise += Square(off, of_noise) / outputs;
  surprise.by_prediction += Square(off, of_noise + of_weights) / outputs;
}

}  // namespace

RowWeight WeighRow(const Problem& problem, const LogitMoments& moments, const NoiseLevel& noise,
                   Index i, ConstVectorRef target, double sureness) {
  return std::visit(
      [&]<class L>(const L& likelihood, const auto& robustness) {
        RowWeight weight;
        if constexpr (L::kWeighsRows) {
          Surprise surprise;
          for (Index c = 0; c < target.size(); ++c) {
            const auto marginal = likelihood.Marginal(moments, noise, c, i);
            AddOutput(target[c] - marginal.Mean(), marginal.AleatoricVariance() / sureness,
                      marginal.EpistemicVariance(), static_cast<double>(target.size()), surprise);
          }
          weight = {sureness * robustness.Weight(surprise), robustness.NoiseWeight(surprise)};
        }
        return weight;
      },
      problem.likelihood, problem.robustness);
}

void NoiseBefore(const Problem& problem, const NoiseState& noise, BeliefWorkspace& w) {
  w.weighing_noise = w.noise;
  if (!problem.in_noise_units()) return;
  w.weighing_noise.variance = noise.rate.cwiseQuotient(noise.shape);
  w.weighing_noise.is_unit = true;
}

double CountOf(const BeliefWorkspace& w, Index i) {
  return w.counts == nullptr ? 1 : (*w.counts)[i];
}

double SurenessOf(const BeliefWorkspace& w, Index i) {
  return w.sure == nullptr ? 1 : (*w.sure)[i];
}

absl::Status WeighRows(const Problem& problem, const NoiseState& noise, BeliefWorkspace& w) {
  const bool weighs = problem.weighs_rows();
  if (!weighs && w.sure == nullptr && w.counts == nullptr) return absl::OkStatus();
  absl::Status status;
  if (weighs) {
    const bool draws = std::visit([](const auto& rule) { return rule.draws(); }, problem.rule);
    status = draws ? StandAt(*w.prior, w) : StandAtPrior(problem, w);
    if (!status.ok()) return status;
    NoiseBefore(problem, noise, w);
  }
  const Matrix& targets = w.expansion.targets();
  w.row_weights.resize(targets.cols());
  w.noise_weights.resize(targets.cols());
  for (Index i = 0; i < targets.cols(); ++i) {
    RowWeight weight{.fit = SurenessOf(w, i)};
    if (weighs) {
      weight =
          WeighRow(problem, w.expansion.moments(), w.weighing_noise, i, targets.col(i), weight.fit);
    }
    w.row_weights[i] = CountOf(w, i) * weight.fit;
    w.noise_weights[i] = CountOf(w, i) * weight.noise;
  }
  w.expansion.Weigh(w.row_weights);
  return status;
}

const Vector* NoiseWeights(const Problem& problem, const BeliefWorkspace& w) {
  return problem.weighs_rows() || w.counts != nullptr ? &w.noise_weights : nullptr;
}

void WeighOutcomes(const Problem& problem, const Matrix& outcomes, Workspace& w) {
  w.row_weights.resize(outcomes.cols());
  w.held.targets = outcomes;
  const auto outputs = static_cast<double>(outcomes.rows());
  std::visit(
      [&](const auto& robustness) {
        for (Index i = 0; i < outcomes.cols(); ++i) {
          Surprise surprise;
          for (Index c = 0; c < outcomes.rows(); ++c) {
            const Distribution& predicted = w.predictive.RawAt(c, i);
            const double off = predicted.Residual(outcomes(c, i));
            const double of_noise = predicted.AleatoricVariance();
            const double of_weights = predicted.EpistemicVariance();
            AddOutput(off, of_noise, of_weights, outputs, surprise);
            const double most = robustness.threshold() * std::sqrt(of_noise + of_weights);
            if (std::abs(off) > most) {
              w.held.targets(c, i) = predicted.Mean() + std::copysign(most, off);
            }
          }
          w.row_weights[i] = robustness.NoiseWeight(surprise);
        }
      },
      problem.robustness);
}

}  // namespace prequel
