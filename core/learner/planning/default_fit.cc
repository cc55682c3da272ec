#include "core/learner/planning/default_fit.h"

#include <algorithm>

namespace prequel {
namespace {

constexpr double kRows = 64;  // B
constexpr Index kRank = 30, kLofiRank = 10, kFewPasses = 2;

Index Logits(const FitShape& shape) { return shape.layers.back().outputs; }

bool OfManyClasses(const FitShape& shape) { return shape.classes && Logits(shape) > kFewClasses; }

// AffordsTwo: whether a pass of that many flops can be made for two beliefs of many classes.
bool AffordsTwo(const FitShape& shape, double pass_flops) {
  const double most = shape.linear ? kMostFlopsOfTwoOfClasses : kMostFullNetworkFlops;
  return pass_flops + SoftmaxFlops(shape) <= most;
}

double Columns(const FitShape& shape) { return kRows * static_cast<double>(shape.curvature_rank); }

}  // namespace

double FullFlops(const FitShape& shape) {
  const auto d = static_cast<double>(NumParams(shape.layers));
  const auto logits = static_cast<double>(Logits(shape));
  const double n = Columns(shape);
  const double dense = 2 * kRows * logits * d * d +
                       std::min(2 * n * n * d + n * d * d, n * d * d + 8 * d * d * d / 3);
  const double structured = 4 * kRows * d * d + 1.5 * d * d * d;
  return shape.linear && logits > 1 ? std::min(dense, structured) : dense;
}

double PerUnitFlops(const FitShape& shape) {
  double sum = 0;
  for (const DenseLayer& layer : shape.layers) {
    const auto c = static_cast<double>(layer.columns());
    const double fit =
        std::min(2 * kRows * kRows * c + kRows * c * c, kRows * c * c + 8 * c * c * c / 3);
    sum += static_cast<double>(layer.outputs) * (2 * kRows * c * c + fit);
  }
  return sum;
}

double LowRankFlops(const FitShape& shape, Index rank) {
  const auto d = static_cast<double>(NumParams(shape.layers));
  const double columns = Columns(shape) + static_cast<double>(rank);
  return d * columns * columns + 2 * kRows * columns * d;
}

double SoftmaxFlops(const FitShape& shape) {
  constexpr double kByPairOfLogits = 250;
  const auto logits = static_cast<double>(Logits(shape));
  return shape.classes && logits > 1 ? kByPairOfLogits * kRows * logits * logits : 0;
}

DefaultFit ChooseByCost(const FitShape& shape) {
  const double most_full = shape.linear ? kMostFullLinearFlops : kMostFullNetworkFlops;
  const bool follows_by_units = shape.linear && OfManyClasses(shape) && !shape.stands_still &&
                                !AffordsTwo(shape, FullFlops(shape)) &&
                                AffordsTwo(shape, PerUnitFlops(shape));
  if (FullFlops(shape) <= most_full && !follows_by_units) return {"full", "rvga"};
  if (shape.linear && PerUnitFlops(shape) <= kMostPerUnitFlops) {
    return {"per_unit", "rvga", 0, PerUnitFlops(shape) > kManyPassesFlops ? kFewPasses : 0};
  }
  if (LowRankFlops(shape, kRank) <= kMostLowRankFlops) return {"low_rank", "rvga", kRank};
  if (LowRankFlops(shape, kLofiRank) <= kMostLofiFlops) return {"low_rank", "lofi", kLofiRank};
  return {"diagonal", "rvga"};
}

double PassFlops(const FitShape& shape, Index correlated, bool by_units, Index rank) {
  constexpr double kPasses = 20;  // of the network, in numbers by weight, example and logit
  const auto d = static_cast<double>(NumParams(shape.layers));
  if (by_units) return PerUnitFlops(shape);
  if (rank > 0) return LowRankFlops(shape, rank);
  if (correlated == 0) return kPasses * Columns(shape) * d;
  const double share = static_cast<double>(correlated) / d;
  return share * share * FullFlops(shape) + kPasses * Columns(shape) * d;
}

Index AffordableBeliefs(const FitShape& shape, double pass_flops) {
  if (OfManyClasses(shape)) return AffordsTwo(shape, pass_flops) ? 2 : 1;
  if (shape.linear && Logits(shape) > 1) return pass_flops <= kMostFlopsOfTwoInSteps ? 2 : 1;
  if (shape.classes && Logits(shape) > 1) return pass_flops <= kMostFlopsOfTwo ? 2 : 1;
  if (shape.linear && pass_flops <= kMostFlopsOfMany) return kManyBeliefs;
  if (!shape.linear && pass_flops <= kMostFlopsOfFour) return 4;
  if (!shape.linear && pass_flops <= kMostFlopsOfThree) return 3;
  return pass_flops <= kMostFlopsOfTwo ? 2 : 1;
}

}  // namespace prequel
