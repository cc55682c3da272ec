#include "core/posteriors/stored_numbers.h"

#include <variant>

namespace prequel {
namespace {

double Square(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// Beside the mean, of each family.
struct Spread {
  const Layers& layers;
  double d = static_cast<double>(NumParams(layers));

  double operator()(const FullGaussian& /*q*/) const { return d * d; }
  double operator()(const BlockDiagonalGaussian& /*q*/) const {
    double sum = 0;
    for (const DenseLayer& layer : layers) sum += Square(layer.size());
    return sum;
  }
  double operator()(const PerUnitGaussian& /*q*/) const {
    double sum = 0;
    for (const DenseLayer& layer : layers) {
      sum += static_cast<double>(layer.outputs) * Square(layer.columns());
    }
    return sum;
  }
  double operator()(const KroneckerGaussian& /*q*/) const {
    double sum = 0;
    for (const DenseLayer& layer : layers) {
      sum += Square(layer.columns()) + Square(layer.outputs) +
             static_cast<double>(2 * layer.columns() + layer.outputs);
    }
    return sum;
  }
  double operator()(const SubsetGaussian& q) const {
    return Square(q.count()) + 2 * static_cast<double>(q.count());
  }
  double operator()(const LowRankGaussian& q) const {
    return d * static_cast<double>(q.rank() + 1);
  }
  double operator()(const LowRankHiddenGaussian& q) const {
    const auto last = static_cast<double>(q.last());
    return (d - last) * static_cast<double>(q.rank() + 1) + last * last;
  }
  double operator()(const DiagonalGaussian& /*q*/) const { return d; }
  double operator()(const PointMass& /*q*/) const { return 0; }
};

}  // namespace

double StoredNumbers(const Posterior& prototype, const Layers& layers) {
  const Spread spread{layers};
  return spread.d + std::visit(spread, prototype);
}

}  // namespace prequel
