#include "core/learner/planning/footprint.h"

#include <algorithm>
#include <variant>

#include "core/change/block_watch.h"
#include "core/learner/planning/default_fit.h"
#include "core/learner/planning/outline.h"
#include "core/posteriors/posterior.h"
#include "core/rules/families.h"

namespace prequel {
namespace {

constexpr double kBytes = 8;               // of a number
constexpr double kBytesOfAnyState = 4096;  // scores, alarms, calibration
constexpr double kRowsAtWork = 64;

double OptionBytes(const ComponentConfig& config) {
  double numbers = 0;
  for (const auto& [name, value] : config.options) {
    if (const auto* list = std::get_if<std::vector<double>>(&value)) {
      numbers += static_cast<double>(list->size());
    } else if (const auto* table = std::get_if<NumberTable>(&value)) {
      numbers += static_cast<double>(table->numbers.size());
    }
  }
  return kBytes * numbers;
}

// ConfigBytes are of names of columns, tables of categories once they are full, imported weights.
double ConfigBytes(const Problem& p) {
  constexpr double kColumn = 48, kCategory = 100;
  double bytes = kColumn * static_cast<double>(p.encoder.num_input_columns());
  for (const FeatureConfig& feature : p.config.features) {
    bytes += static_cast<double>(sizeof(FeatureConfig) + feature.name.size());
    if (feature.kind != FeatureConfig::Kind::kCategorical) continue;
    bytes += kCategory * static_cast<double>(feature.max_categories);
  }
  return bytes + OptionBytes(p.config.prior);
}

// Sizes are what a problem's parts come to, in numbers.
struct Sizes {
  explicit Sizes(const Problem& p)
      : weights(static_cast<double>(NumParams(p.layers))),
        posterior(StoredNumbers(p.prototype(), p.layers)),
        spread(posterior - weights),
        rule(p.dataset_size() > 0
                 ? std::visit([&]<class R>(const R&) { return R::State::Numbers(weights, spread); },
                              p.rule)
                 : 0),
        beliefs(std::max(1.0, static_cast<double>(p.num_beliefs()))) {}

  double weights, posterior, spread;
  double rule;  // between minibatches: a recursive rule remembers nothing
  double beliefs;
};

double StateBytes(const Problem& p, const Sizes& sizes) {
  const double width = p.storage == Storage::kFloat32 ? 0.5 : 1;
  const auto numeric = static_cast<double>(p.encoder.num_input_columns());
  const auto watched =
      static_cast<double>(std::min(p.encoder.num_encoded(), BlockWatch::kMostColumns));
  return kBytesOfAnyState + kBytes * (sizes.beliefs * width * (sizes.posterior + sizes.rule) +
                                      6 * numeric + 6 * watched);
}

double MadeBytes(const Problem& p, const Sizes& sizes) {
  const auto scales = static_cast<double>(p.priors.size());
  return kBytes * (sizes.weights + scales * (2 * sizes.weights + sizes.posterior)) + ConfigBytes(p);
}

// FitNumbers counts what the fit of one belief holds beside its moved posterior: a few vectors; the
// Jacobian of the rows, D × n, which families with covariances hold several times; and covariances
// that are factorised, where the rule steps or holds several linearisations at once.
double FitNumbers(const Problem& p, const Sizes& sizes) {
  constexpr double kVectors = 3, kJacobians = 6, kFactors = 6, kOfLowRank = 4, kDraws = 1.5;
  const double n = kRowsAtWork * static_cast<double>(ShapeOf(p).curvature_rank);
  const auto rounds =
      static_cast<double>(std::visit([](const auto& rule) { return rule.rounds(); }, p.rule));
  const auto correlated = static_cast<double>(p.num_correlated());
  const auto rank = static_cast<double>(p.rank());
  double numbers = kVectors * sizes.weights + kJacobians * correlated * n;
  if (rank > 0) numbers += kOfLowRank * (sizes.weights - correlated) * (n * rounds + rank);
  const bool fits =
      std::visit([]<class R>(const R&) { return std::derived_from<R, FittingRule>; }, p.rule);
  if (rank == 0 && (!fits || rounds > 1 || correlated == 0)) numbers += kFactors * sizes.spread;
  if (rounds > 1) numbers += kDraws * rounds * sizes.weights;
  return numbers;
}

double ScratchBytes(const Problem& p, const Sizes& sizes) {
  constexpr double kInputs = 3.3, kActivations = 2;
  double numbers = kInputs * kRowsAtWork * static_cast<double>(p.encoder.num_encoded());
  for (const DenseLayer& layer : p.layers) {
    numbers += kActivations * kRowsAtWork * static_cast<double>(layer.outputs);
  }
  // Beliefs that are carried over to other units take several times as much, now and then.
  numbers += 0.75 * sizes.spread;
  return kBytes * (numbers + sizes.beliefs * FitNumbers(p, sizes));
}

}  // namespace

Footprint FootprintOf(const Problem& outline) {
  const Sizes sizes(outline);
  return {.state = StateBytes(outline, sizes),
          .made = MadeBytes(outline, sizes),
          .scratch = ScratchBytes(outline, sizes)};
}

}  // namespace prequel
