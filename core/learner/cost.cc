#include "core/learner/cost.h"

#include <algorithm>
#include <variant>

#include "core/learner/planning/default_fit.h"
#include "core/learner/planning/outline.h"
#include "core/learner/prediction.h"
#include "core/learner/problem.h"
#include "core/posteriors/posterior.h"

namespace prequel {
namespace {

double PassOf(const Problem& p) {
  return PassFlops(ShapeOf(p), p.num_correlated(), p.is_of_units(), p.rank());
}

double Weights(const Problem& p) { return static_cast<double>(NumParams(p.layers)); }

// NumbersOf is how many numbers a row is answered with; the scores of a target take as long as
// kOfScores of them.
double NumbersOf(const QuerySet& queries) {
  constexpr double kOfScores = 8;
  if (queries.scores()) return kOfScores * static_cast<double>(queries.asked().targets);
  return static_cast<double>(queries.numbers_per_example());
}

// MixingFlops are those for the numbers that a row is answered with, of a mixture of `draws` of
// each hypothesis.
double MixingFlops(const Problem& p, const QuerySet& queries, double draws) {
  constexpr double kDensity = 100;  // of a member at one place: exponentials
  // Sums over the members to find one number; of counts, the more they are, the fewer are needed.
  constexpr double kManyMembers = 64, kSums = 8, kSumsOfFew = 40;
  // Draws of values may lie so far apart that none stands for others: inputs can make them do so.
  constexpr double kSumsOfValues = 8, kCondensing = 400;
  const auto hypotheses = static_cast<double>(p.hypotheses.size());
  const double numbers = 2 + NumbersOf(queries);
  const double members = draws * hypotheses;
  if (members <= 1 || p.classes()) return members * kDensity * numbers;
  if (members <= kManyMembers) return members * kDensity * kSumsOfFew * numbers;
  if (p.predicted() == Predicted::kCounts) return members * kDensity * kSums * numbers;
  // CRPS sums the members over a grid, which is the finer the narrower they are.
  constexpr double kNodes = 1000;
  const auto targets = static_cast<double>(queries.asked().targets);
  if (queries.scores()) return members * kDensity * kNodes * targets;
  return members * (kCondensing * targets + kDensity * kSumsOfValues * numbers);
}

}  // namespace

absl::StatusOr<ModelCost> ModelCost::Of(const LearnerConfig& config) {
  absl::StatusOr<Problem> outline = Outline(config);
  if (!outline.ok()) return outline.status();
  const Footprint footprint = FootprintOf(*outline);
  outline->config = {};  // imported weights are large
  return ModelCost(std::make_shared<const Problem>(*std::move(outline)), footprint);
}

double ModelCost::UpdateFlops(Index rows) const {
  const Problem& p = *outline_;
  constexpr double kPasses = 3, kRowsOfPass = 64;
  const double passes = kPasses * static_cast<double>(p.num_beliefs());
  // A pass over fewer rows than 64 still goes through the whole posterior.
  const double share = std::max(static_cast<double>(rows) / kRowsOfPass, 1.0 / 16);
  const double draws = DrawsOf(p, FreshState(p.rule), 0);
  return passes * share * PassOf(p) +
         draws * 4 * static_cast<double>(rows) * Weights(p) * static_cast<double>(p.num_beliefs());
}

double ModelCost::PreparationFlops(const QuerySet& queries) const {
  const Problem& p = *outline_;
  if (DrawsOf(p, FreshState(p.rule), queries.samples()) == 0) return 0;
  const double spread = StoredNumbers(p.prototype(), p.layers);
  return static_cast<double>(p.num_beliefs()) * spread * spread / (3 * Weights(p));
}

double ModelCost::QueryFlops(const QuerySet& queries) const {
  const Problem& p = *outline_;
  const int draws = DrawsOf(p, FreshState(p.rule), queries.samples());
  const auto beliefs = static_cast<double>(p.num_beliefs());
  const auto logits = static_cast<double>(p.num_logits());
  const double mixing = MixingFlops(p, queries, std::max(1, draws));
  const double spread = StoredNumbers(p.prototype(), p.layers);
  if (draws > 0) return beliefs * draws * 2 * (logits * Weights(p) + spread) + mixing;
  return beliefs * 2 * logits * (spread + Weights(p)) + mixing;
}

}  // namespace prequel
