// What new units make of weights, by what the model says of rows.
#include "core/models/weight_map.h"

#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "core/models/model.h"
#include "core/random/philox.h"

namespace prequel::weight_map_test {
namespace {

struct Moved {
  Model model;
  Layers layers;
  InputsChange inputs;
  OutputsChange outputs;
  Index columns = 0;
};

// Three numbers, of which the first two may be missing (columns 3 and 4 say so), and a category.
Moved Make(Model model, Index outputs) {
  Moved setup;
  setup.columns = 6;
  ComponentConfig config;
  if (std::holds_alternative<Mlp>(model)) config.options["hidden"] = std::vector<double>{4, 3};
  Options options("config.model", config);
  EXPECT_TRUE(
      std::visit([&](auto& m) { return m.Configure(options, setup.columns, outputs); }, model)
          .ok());
  setup.layers = LayersOf(model);
  setup.model = std::move(model);
  setup.inputs.slope.resize(3);
  setup.inputs.slope << 1.5, 0.25, 2;
  setup.inputs.offset.resize(3);
  setup.inputs.offset << 0.5, -1, 0.125;
  setup.inputs.indicator = {3, 4, -1};
  setup.outputs.gain = Vector::LinSpaced(outputs, 0.5, 3);
  setup.outputs.shift = Vector::LinSpaced(outputs, -1, 2);
  setup.outputs.spread = setup.outputs.gain;
  return setup;
}

Matrix Says(const Moved& setup, const Vector& theta, const Matrix& rows, Index outputs) {
  Matrix logits(outputs, rows.cols());
  std::visit(
      [&]<class M>(const M& model) {
        typename M::Tape tape;
        model.Forward(theta, rows, tape, logits);
      },
      setup.model);
  return logits;
}

Vector RandomWeights(const Moved& setup, std::uint32_t lane) {
  Vector theta(NumParams(setup.layers));
  FillNormal({5, 0, lane}, theta);
  return theta;
}

void ExpectTheSameOfRows(const Moved& setup, Index outputs) {
  Matrix fresh(setup.columns, 9);  // in the new units
  FillNormal({6, 0, 0}, fresh);
  fresh.row(3).setZero();
  fresh.row(4).setZero();
  fresh(3, 2) = fresh(4, 2) = fresh(4, 5) = 1;
  fresh(0, 2) = fresh(1, 2) = fresh(1, 5) = 0;
  Matrix old = fresh;
  for (Index i = 0; i < old.cols(); ++i) {
    for (Index j = 0; j < 3; ++j) {
      const Index indicator = setup.inputs.indicator[static_cast<std::size_t>(j)];
      if (indicator >= 0 && old(indicator, i) == 1) continue;
      old(j, i) = setup.inputs.slope[j] * old(j, i) + setup.inputs.offset[j];
    }
  }
  const Vector theta = RandomWeights(setup, 1);
  Vector moved = theta;
  WeightMap::OfAll(setup.layers, setup.inputs, setup.outputs).Apply(moved);
  Matrix expected = Says(setup, theta, old, outputs);
  expected = (setup.outputs.gain.asDiagonal() * expected).colwise() + setup.outputs.shift;
  EXPECT_LT((Says(setup, moved, fresh, outputs) - expected).cwiseAbs().maxCoeff(), 1e-13);
}

// Back and transposed, by inner products; and the diagonal of T⁻ᵀ diag(λ) T⁻¹.
void ExpectInverses(const WeightMap& map, Index size) {
  Vector x(size), y(size);
  FillNormal({7, 0, 1}, x);
  FillNormal({7, 0, 2}, y);
  Vector there = x;
  map.Turn(there);
  map.TurnBack(there);
  EXPECT_LT((there - x).cwiseAbs().maxCoeff(), 1e-13);
  Vector back = x, transposed = y;
  map.TurnBack(back);
  map.TurnBackTransposed(transposed);
  EXPECT_NEAR(back.dot(y), transposed.dot(x), 1e-12);
  const Vector lambda = x.cwiseAbs2();
  Vector diagonal = lambda;
  map.TurnBackPrecision(diagonal);
  for (Index i = 0; i < size; ++i) {
    Vector unit = Vector::Unit(size, i);
    map.TurnBack(unit);
    EXPECT_NEAR(diagonal[i], unit.cwiseAbs2().dot(lambda), 1e-12 * diagonal[i]) << i;
  }
}

TEST(WeightMap, SaysOfRowsInNewUnitsWhatWasSaidOfThemInTheOld) {
  ExpectTheSameOfRows(Make(Linear(), 2), 2);
  ExpectTheSameOfRows(Make(Mlp(), 2), 2);
}

TEST(WeightMap, TurnsBack) {
  for (const Moved& setup : {Make(Linear(), 3), Make(Mlp(), 1)}) {
    const Layers& layers = setup.layers;
    ExpectInverses(WeightMap::OfAll(layers, setup.inputs, setup.outputs), NumParams(layers));
    for (std::size_t l = 0; l < layers.size(); ++l) {
      ExpectInverses(WeightMap::OfLayer(layers, l, setup.inputs, setup.outputs), layers[l].size());
    }
  }
}

// A unit's weights, gathered, go as those of all do.
TEST(WeightMap, OfAUnitIsThatOfAllWeights) {
  const Moved setup = Make(Linear(), 3);
  const DenseLayer& layer = setup.layers[0];
  Vector theta = RandomWeights(setup, 3);
  std::vector<Vector> units;
  for (Index j = 0; j < 3; ++j) {
    Vector unit = theta(Eigen::seqN(j, layer.columns(), layer.outputs));
    WeightMap::OfUnit(setup.layers, 0, j, setup.inputs, setup.outputs).Apply(unit);
    units.push_back(unit);
  }
  WeightMap::OfAll(setup.layers, setup.inputs, setup.outputs).Apply(theta);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_EQ(units[static_cast<std::size_t>(j)],
              Vector(theta(Eigen::seqN(j, layer.columns(), layer.outputs))));
  }
}

}  // namespace
}  // namespace prequel::weight_map_test
