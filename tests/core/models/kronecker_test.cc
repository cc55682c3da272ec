// The Kronecker forms of every model against numeric derivatives of its own Forward.
#include "core/models/kronecker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/models/model.h"
#include "tests/core/dense_kronecker.h"
#include "tests/core/finite_difference.h"
#include "tests/core/streams.h"

namespace prequel::kronecker_test {
namespace {

constexpr Index kInputs = 3;
constexpr double kTolerance = 1e-7;

struct Case {
  std::string name;
  ComponentConfig model;
  Index outputs;
};

std::vector<Case> Cases() {
  using Numbers = std::vector<double>;
  std::vector<Case> cases;
  for (const Index outputs : {1, 3}) {
    const std::string suffix = "_" + std::to_string(outputs);
    cases.push_back({"linear" + suffix, {"linear", {}}, outputs});
    cases.push_back({"unbiased" + suffix, {"linear", {{"bias", false}}}, outputs});
    cases.push_back({"one_hidden" + suffix, {"mlp", {{"hidden", Numbers{4}}}}, outputs});
    cases.push_back({"two_hidden" + suffix,
                     {"mlp", {{"hidden", Numbers{4, 2}}, {"activation", std::string("gelu")}}},
                     outputs});
  }
  return cases;
}

// Factors of a minibatch's curvature or Fisher, of every layer.
using Factors = std::vector<KroneckerFactors>;

class Kronecker : public testing::TestWithParam<Case> {
 protected:
  Kronecker() {
    const Case& c = GetParam();
    if (c.model.name == "mlp") model_ = Mlp();
    std::visit(
        [&](auto& model) {
          Options options("config.model", c.model);
          EXPECT_TRUE(model.Configure(options, kInputs, c.outputs).ok());
          theta_ = 0.7 * Normals(model.num_params(), 1, 1);
          for (Index l = 0; l < model.num_layers(); ++l) layers_.push_back(model.layer(l));
        },
        model_);
  }

  // Row i·C + c is row c of J_i.
  Matrix NumericRows(const Matrix& x) const {
    return std::visit(
        [&]<class M>(const M& model) {
          const auto logits = [&](const Vector& at) {
            typename M::Tape tape;
            Matrix f(model.num_logits(), x.cols());
            model.Forward(at, x, tape, f);
            return Vector(f.reshaped());
          };
          return NumericJacobian(logits, theta_, 1e-4);
        },
        model_);
  }

  // Calls use(model, tape) after Forward at x, and Linearize if asked.
  template <class Use>
  void With(const Matrix& x, bool linearize, const Use& use) {
    std::visit(
        [&]<class M>(const M& model) {
          auto& tape = std::get<typename M::Tape>(tapes_);
          Matrix logits(model.num_logits(), x.cols());
          model.Forward(theta_, x, tape, logits);
          if (linearize) model.Linearize(theta_, tape);
          use(model, tape);
        },
        model_);
  }

  Factors CurvatureAt(const Matrix& x, const Matrix& roots) {
    Factors factors;
    With(x, true, [&](const auto& m, auto& tape) { m.CurvatureFactors(tape, roots, factors); });
    return factors;
  }
  Factors FisherAt(const Matrix& x, const Matrix& u) {
    Factors factors;
    Vector gradient = Vector::Constant(theta_.size(), 9);
    With(x, false,
         [&](const auto& m, auto& tape) { m.VjpFactors(theta_, tape, u, gradient, factors); });
    EXPECT_LT(RelativeError(gradient, NumericRows(x).transpose() * u.reshaped()), kTolerance);
    return factors;
  }

  // Of one example A ⊗ S is the sum of the outer products of its columns (D × R), no
  // approximation; and the scale of A is that of ã, whose last element is 1.
  void ExpectExactForOne(const Factors& factors, const Vector& x, const Matrix& columns) const {
    ASSERT_EQ(factors.size(), layers_.size());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const DenseLayer& layer = layers_[l];
      const Matrix part = columns.middleRows(layer.offset, layer.size());
      const Matrix a = FromLower(factors[l].inputs), s = FromLower(factors[l].cotangents);
      EXPECT_LT(RelativeError(Kron(a, s), part * part.transpose()), kTolerance) << l;
      if (layer.has_bias) {
        EXPECT_EQ(a(layer.inputs, layer.inputs), 1);
      }
    }
    const Matrix first = FromLower(factors[0].inputs).topLeftCorner(kInputs, kInputs);
    EXPECT_LT(RelativeError(first, x * x.transpose()), kTolerance);
  }

  // Of a minibatch A and S are the sums over its examples.
  static void ExpectSum(const Factors& whole, const std::vector<Factors>& parts) {
    for (std::size_t l = 0; l < whole.size(); ++l) {
      Matrix a = Matrix::Zero(whole[l].inputs.rows(), whole[l].inputs.cols());
      Matrix s = Matrix::Zero(whole[l].cotangents.rows(), whole[l].cotangents.cols());
      for (const Factors& part : parts) {
        a += part[l].inputs;
        s += part[l].cotangents;
      }
      EXPECT_LT(RelativeError(whole[l].inputs, a), 1e-12) << l;
      EXPECT_LT(RelativeError(whole[l].cotangents, s), 1e-12) << l;
    }
  }

  Model model_;
  Layers layers_;
  Vector theta_;
  Tapes tapes_;
};

TEST_P(Kronecker, CurvatureFactorsAreThoseOfTheGaussNewtonColumns) {
  const Index logits = GetParam().outputs;
  for (const Index rank : {Index{1}, logits, logits + 1}) {
    const Matrix x = Normals(kInputs, 5, 2), roots = Normals(logits, rank * 5, 3);
    std::vector<Factors> parts;
    for (Index i = 0; i < 5; ++i) {
      const Matrix root = roots.middleCols(i * rank, rank);
      parts.push_back(CurvatureAt(x.col(i), root));
      ExpectExactForOne(parts.back(), x.col(i), NumericRows(x.col(i)).transpose() * root);
    }
    ExpectSum(CurvatureAt(x, roots), parts);
  }
}

TEST_P(Kronecker, VjpFactorsAreThoseOfTheGradients) {
  const Matrix x = Normals(kInputs, 5, 2), u = Normals(GetParam().outputs, 5, 3);
  std::vector<Factors> parts;
  for (Index i = 0; i < 5; ++i) {
    parts.push_back(FisherAt(x.col(i), u.col(i)));
    ExpectExactForOne(parts.back(), x.col(i), NumericRows(x.col(i)).transpose() * u.col(i));
  }
  ExpectSum(FisherAt(x, u), parts);
}

TEST_P(Kronecker, MarginalIsTheJacobianTimesTheCovariance) {
  std::vector<KroneckerCovariance> covariances;
  std::vector<Matrix> dense;
  for (const DenseLayer& layer : layers_) {
    const auto step = static_cast<std::uint64_t>(layer.offset);
    covariances.push_back({Normals(layer.columns(), layer.columns(), 4, step),
                           Normals(layer.outputs, layer.outputs, 5, step),
                           Normals(layer.outputs, layer.columns(), 6, step).cwiseAbs2()});
    dense.push_back(Dense(covariances.back()));
  }
  const Matrix p = BlockDiagonal(dense);
  const Index logits = GetParam().outputs;
  for (const Index examples : {5, 2, 7}) {  // on one tape
    const Matrix x = Normals(kInputs, examples, 2), rows = NumericRows(x);
    Matrix covariance = Matrix::Constant(logits, logits * examples, 9), jacobian = rows.transpose();
    With(x, true, [&](const auto& model, auto& tape) {
      for (int round = 0; round < 2; ++round) {
        model.KroneckerMarginal(tape, covariances, covariance);
        Factors factors;
        model.CurvatureFactors(tape, Normals(logits, 2 * examples, 7), factors);
      }
      jacobian.setConstant(9);  // and the linearisation is as it was
      model.Jacobian(tape, jacobian);
    });
    EXPECT_LT(RelativeError(jacobian, rows.transpose()), kTolerance);
    for (Index i = 0; i < examples; ++i) {
      const Matrix j = rows.middleRows(i * logits, logits);
      EXPECT_LT(RelativeError(covariance.middleCols(i * logits, logits), j * p * j.transpose()),
                kTolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Kronecker, testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(KroneckerCovariance, MultipliesAsTheDenseOne) {
  const KroneckerCovariance p{Normals(4, 4, 1), Normals(3, 3, 2), Normals(3, 4, 3).cwiseAbs2()};
  const Matrix x = Normals(3, 4, 4);
  Matrix scratch, out(3, 4);
  p.Multiply(x, scratch, out);
  EXPECT_LT(RelativeError(out.reshaped(), Dense(p) * x.reshaped()), 1e-13);
}

}  // namespace
}  // namespace prequel::kronecker_test
