// Every model against numeric derivatives of its own Forward.
#include "core/models/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "tests/core/finite_difference.h"

namespace prequel::model_test {
namespace {

using Numbers = std::vector<double>;

template <class M>
std::vector<std::map<std::string, OptionValue>> Configurations();

template <>
std::vector<std::map<std::string, OptionValue>> Configurations<Linear>() {
  return {{}, {{"bias", false}}};
}

template <>
std::vector<std::map<std::string, OptionValue>> Configurations<Mlp>() {
  std::vector<std::map<std::string, OptionValue>> all = {{{"hidden", Numbers{5}}}};
  for (const char* activation : {"tanh", "relu", "gelu", "identity"}) {
    all.push_back({{"hidden", Numbers{4, 3}}, {"activation", std::string(activation)}});
    all.push_back({{"hidden", Numbers{2, 5, 3}}, {"activation", std::string(activation)}});
    all.push_back({{"hidden", Numbers{1}}, {"activation", std::string(activation)}});
  }
  return all;
}

template <class M>
M Make(const std::map<std::string, OptionValue>& options, Index inputs, Index outputs) {
  const ComponentConfig config{std::string(M::kName), options};
  Options reader("config.model", config);
  M model;
  EXPECT_TRUE(model.Configure(reader, inputs, outputs).ok());
  return model;
}

template <class M>
Vector Parameters(const M& model, std::uint64_t seed) {
  Vector theta(model.num_params());
  FillNormal(Stream{seed, 0, 0}, theta);
  return 0.7 * theta;
}

Matrix Normals(Index rows, Index cols, std::uint64_t seed) {
  Matrix m(rows, cols);
  FillNormal(Stream{seed, 1, 0}, m);
  return m;
}

// Row i·C + c is row c of J_i.
template <class M>
Matrix NumericRows(const M& model, const Vector& theta, const Matrix& x) {
  const auto logits = [&](const Vector& at) {
    typename M::Tape tape;
    Matrix f(model.num_logits(), x.cols());
    model.Forward(at, x, tape, f);
    return Vector(f.reshaped());
  };
  return NumericJacobian(logits, theta, 1e-4);
}

// Calls check(model, θ, x, tape, numeric rows) for every configuration, C = 1 and 3, and batches
// that shrink and grow on one tape.
template <class M, class Check>
void ForEveryCase(const Check& check) {
  for (const auto& options : Configurations<M>()) {
    for (const Index outputs : {1, 3}) {
      const M model = Make<M>(options, 3, outputs);
      typename M::Tape tape;
      std::uint64_t seed = 0;
      for (const Index examples : {5, 2, 45, 1}) {
        const Vector theta = Parameters(model, ++seed);
        const Matrix x = Normals(3, examples, seed);
        Matrix logits(outputs, examples);
        model.Forward(theta, x, tape, logits);
        check(model, theta, x, tape, NumericRows(model, theta, x));
      }
    }
  }
}

constexpr double kTolerance = 1e-8;

template <class M>
class ModelTest : public testing::Test {};

template <class Variant>
struct TypesOf;
template <class... Ms>
struct TypesOf<std::variant<Ms...>> {
  using Types = testing::Types<Ms...>;
};
TYPED_TEST_SUITE(ModelTest, TypesOf<Model>::Types);

TYPED_TEST(ModelTest, JacobianMatchesFiniteDifferences) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix&, auto& tape, const Matrix& rows) {
        model.Linearize(theta, tape);
        Matrix jacobian = Matrix::Constant(model.num_params(), rows.rows(), 9);
        model.Jacobian(tape, jacobian);
        EXPECT_LT(RelativeError(jacobian, rows.transpose()), kTolerance);
      });
}

TYPED_TEST(ModelTest, InputJacobianMatchesFiniteDifferences) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix&) {
        model.Linearize(theta, tape);
        const Index outputs = model.num_logits(), examples = x.cols();
        Matrix jacobian = Matrix::Constant(x.rows(), outputs * examples, 9);
        model.InputJacobian(theta, tape, jacobian);
        for (Index i = 0; i < examples; ++i) {
          const auto logits = [&](const Vector& at) {
            typename TypeParam::Tape fresh;
            Matrix f(outputs, 1);
            model.Forward(theta, at, fresh, f);
            return Vector(f.reshaped());
          };
          const Matrix rows = NumericJacobian(logits, x.col(i), 1e-4);
          for (Index c = 0; c < outputs; ++c) {
            EXPECT_LT(RelativeError(jacobian.col(c * examples + i), rows.row(c).transpose()),
                      kTolerance);
          }
        }
      });
}

TYPED_TEST(ModelTest, JacobianRowsAreThoseOfTheJacobian) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        model.Linearize(theta, tape);
        Matrix jacobian(model.num_params(), rows.rows());
        model.Jacobian(tape, jacobian);
        for (const Index from : {Index{0}, model.num_params() / 2, model.num_params() - 1}) {
          for (const Index step : {1, 3}) {
            std::vector<Index> of;
            for (Index j = from; j < model.num_params(); j += step) of.push_back(j);
            typename TypeParam::Tape fresh;  // nothing is left in it from a deeper linearisation
            Matrix logits(model.num_logits(), x.cols());
            model.Forward(theta, x, fresh, logits);
            model.Linearize(theta, fresh, from);
            Matrix some = Matrix::Constant(static_cast<Index>(of.size()), jacobian.cols(), 9);
            model.JacobianRows(fresh, of, some);
            EXPECT_EQ(some, Matrix(jacobian(of, Eigen::all)));
          }
        }
      });
}

TYPED_TEST(ModelTest, MarginalCovarianceIsJacobianTimesVariances) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Index logits = model.num_logits();
        const Vector variances = Parameters(model, 77).cwiseAbs2();
        model.Linearize(theta, tape);
        Matrix covariance = Matrix::Constant(logits, logits * x.cols(), 9);
        model.MarginalCovariance(tape, variances, covariance);
        for (Index i = 0; i < x.cols(); ++i) {
          const Matrix j = rows.middleRows(i * logits, logits);
          EXPECT_LT(RelativeError(covariance.middleCols(i * logits, logits),
                                  j * variances.asDiagonal() * j.transpose()),
                    kTolerance);
        }
      });
}

// J_i of the weights into a unit is Δ ãᵀ: Δ from numeric rows, as their product with ã/|ã|².
TYPED_TEST(ModelTest, DerivativesByTheWeightsIntoAUnitAreOuterProducts) {
  ForEveryCase<TypeParam>([](const auto& model, const Vector& theta, const Matrix& x, auto& tape,
                             const Matrix& rows) {
    const Index logits = model.num_logits(), examples = x.cols(), rank = logits + 1;
    model.Linearize(theta, tape);
    Index units = 0;
    for (Index l = 0; l < model.num_layers(); ++l) units += model.layer(l).outputs;
    const Matrix u = Normals(logits, examples, 82), roots = Normals(logits, rank * examples, 83);
    const Matrix t = Normals(units, examples, 84).cwiseAbs2();
    Matrix scores = Matrix::Constant(units, examples, 9), curvatures = scores;
    Matrix covariance = Matrix::Constant(logits, logits * examples, 9);
    model.UnitScores(tape, u, scores);
    model.UnitCurvatures(tape, roots, curvatures);
    model.UnitCovariance(std::as_const(tape), t, covariance);
    Matrix want_scores(units, examples), want_curvatures(units, examples);
    Matrix want_covariance = Matrix::Zero(logits, logits * examples);
    Index unit = 0;
    for (Index l = 0; l < model.num_layers(); ++l) {
      const DenseLayer& layer = model.layer(l);
      Matrix inputs = Matrix::Constant(layer.columns(), examples, 9);
      model.UnitInputs(std::as_const(tape), l, inputs);
      for (Index j = 0; j < layer.outputs; ++j, ++unit) {
        for (Index i = 0; i < examples; ++i) {
          const Vector a = inputs.col(i);
          Matrix jacobian(logits, layer.columns());
          for (Index k = 0; k < layer.columns(); ++k) {
            jacobian.col(k) =
                rows.block(i * logits, layer.offset + j + k * layer.outputs, logits, 1);
          }
          const Vector delta = jacobian * a / a.squaredNorm();
          EXPECT_LT((jacobian - delta * a.transpose()).norm(), kTolerance * (1 + delta.norm()));
          want_scores(unit, i) = delta.dot(u.col(i));
          want_curvatures(unit, i) =
              (roots.middleCols(i * rank, rank).transpose() * delta).squaredNorm();
          want_covariance.middleCols(i * logits, logits) += t(unit, i) * delta * delta.transpose();
        }
      }
    }
    EXPECT_LT(RelativeError(scores, want_scores), kTolerance);
    EXPECT_LT(RelativeError(curvatures, want_curvatures), kTolerance);
    EXPECT_LT(RelativeError(covariance, want_covariance), kTolerance);
  });
}

TYPED_TEST(ModelTest, GradientSumAndVjpSumAreTransposedJacobianProducts) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Matrix u = Normals(model.num_logits(), x.cols(), 78);
        const Vector want = rows.transpose() * u.reshaped();
        Vector gradient = Vector::Constant(model.num_params(), 9);
        model.VjpSum(theta, tape, u, gradient);
        EXPECT_LT(RelativeError(gradient, want), kTolerance);
        model.Linearize(theta, tape);
        gradient.setConstant(9);
        model.GradientSum(tape, u, gradient);
        EXPECT_LT(RelativeError(gradient, want), kTolerance);
      });
}

TYPED_TEST(ModelTest, VjpSquaresSumsTheSquaredGradientOfEveryExample) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Index logits = model.num_logits();
        const Matrix u = Normals(logits, x.cols(), 81);
        Vector want = Vector::Zero(model.num_params());
        for (Index i = 0; i < x.cols(); ++i) {
          want += (rows.middleRows(i * logits, logits).transpose() * u.col(i)).cwiseAbs2();
        }
        Vector gradient = Vector::Constant(model.num_params(), 9), squares = gradient;
        model.VjpSquares(theta, tape, u, gradient, squares);
        EXPECT_LT(RelativeError(gradient, rows.transpose() * u.reshaped()), kTolerance);
        EXPECT_LT(RelativeError(squares, want), kTolerance);
      });
}

TYPED_TEST(ModelTest, JvpIsTheJacobianProduct) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Vector v = Parameters(model, 79);
        Matrix product = Matrix::Constant(model.num_logits(), x.cols(), 9);
        model.Jvp(theta, std::as_const(tape), v, product);
        EXPECT_LT(RelativeError(product.reshaped(), rows * v), kTolerance);
      });
}

TYPED_TEST(ModelTest, CurvatureDiagonalIsTheSumOfSquaresThroughTheRoots) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Index logits = model.num_logits();
        model.Linearize(theta, tape);
        for (const Index rank : {Index{1}, logits, logits + 1}) {
          const Matrix roots = Normals(logits, rank * x.cols(), 80);
          Vector want = Vector::Zero(model.num_params());
          for (Index i = 0; i < x.cols(); ++i) {
            const Matrix columns =
                rows.middleRows(i * logits, logits).transpose() * roots.middleCols(i * rank, rank);
            want += columns.rowwise().squaredNorm();
          }
          Vector diagonal = Vector::Constant(model.num_params(), 9);
          model.CurvatureDiagonal(tape, roots, diagonal);
          EXPECT_LT(RelativeError(diagonal, want), kTolerance);

          const Matrix u = Normals(logits, x.cols(), 82);
          typename TypeParam::Tape fresh;  // not linearised
          Matrix values(logits, x.cols());
          model.Forward(theta, x, fresh, values);
          for (typename TypeParam::Tape* on : {&fresh, &tape}) {
            Vector gradient = Vector::Constant(model.num_params(), 9);
            diagonal.setConstant(9);
            model.VjpCurvature(theta, *on, u, roots, gradient, diagonal);
            EXPECT_LT(RelativeError(gradient, rows.transpose() * u.reshaped()), kTolerance);
            EXPECT_LT(RelativeError(diagonal, want), kTolerance);
          }
        }
      });
}

// The methods that use scratch leave the linearisation as it was.
TYPED_TEST(ModelTest, MethodsDoNotDisturbEachOther) {
  ForEveryCase<TypeParam>(
      [](const auto& model, const Vector& theta, const Matrix& x, auto& tape, const Matrix& rows) {
        const Index logits = model.num_logits();
        model.Linearize(theta, tape);
        Matrix covariance(logits, logits * x.cols()), product(logits, x.cols());
        Vector gradient(model.num_params()), squares(model.num_params());
        for (int round = 0; round < 2; ++round) {
          model.MarginalCovariance(tape, theta.cwiseAbs2(), covariance);
          model.GradientSum(tape, Normals(logits, x.cols(), 5), gradient);
          model.CurvatureDiagonal(tape, Normals(logits, logits * x.cols(), 6), gradient);
          model.VjpSum(theta, tape, Normals(logits, x.cols(), 7), gradient);
          model.VjpSquares(theta, tape, Normals(logits, x.cols(), 8), gradient, squares);
          model.VjpCurvature(theta, tape, Normals(logits, x.cols(), 8),
                             Normals(logits, logits * x.cols(), 9), gradient, squares);
          model.Jvp(theta, tape, theta, product);
          Matrix jacobian(model.num_params(), rows.rows());
          model.Jacobian(tape, jacobian);
          EXPECT_LT(RelativeError(jacobian, rows.transpose()), kTolerance);
        }
      });
}

TYPED_TEST(ModelTest, LayersTileTheParameters) {
  for (const auto& options : Configurations<TypeParam>()) {
    const TypeParam model = Make<TypeParam>(options, 3, 2);
    Index offset = 0, inputs = 3;
    for (Index l = 0; l < model.num_layers(); ++l) {
      EXPECT_EQ(model.layer(l).offset, offset);
      EXPECT_EQ(model.layer(l).inputs, inputs);
      offset += model.layer(l).size();
      inputs = model.layer(l).outputs;
    }
    EXPECT_EQ(offset, model.num_params());
    EXPECT_EQ(inputs, model.num_logits());
  }
}

TYPED_TEST(ModelTest, NaNInputsReachTheLogits) {
  for (const auto& options : Configurations<TypeParam>()) {
    const TypeParam model = Make<TypeParam>(options, 3, 1);
    Matrix x = Normals(3, 2, 1), logits(1, 2);
    x(1, 1) = std::numeric_limits<double>::quiet_NaN();
    typename TypeParam::Tape tape;
    // Positive weights, so that no relu hides the NaN.
    model.Forward(Vector::Constant(model.num_params(), 0.5), x.cwiseAbs(), tape, logits);
    EXPECT_TRUE(std::isfinite(logits(0, 0)));
    EXPECT_TRUE(std::isnan(logits(0, 1)));
  }
}

TEST(Linear, StartsAtZeroAndHonoursBias) {
  const Linear with = Make<Linear>({}, 3, 2), without = Make<Linear>({{"bias", false}}, 3, 2);
  EXPECT_EQ(with.num_params(), 8);
  EXPECT_EQ(without.num_params(), 6);
  Vector theta = Vector::Ones(8);
  with.Initialize(Stream{1, 0, 0}, theta);
  EXPECT_EQ(theta, Vector::Zero(8));
}

TEST(Mlp, ForwardIsItsFormula) {
  const Mlp model = Make<Mlp>({{"hidden", Numbers{2}}}, 1, 1);
  ASSERT_EQ(model.num_params(), 7);
  Vector theta(7);
  theta << 0.5, -1, 0.1, 0.2, 2, 3, -0.7;  // W1, b1, W2, b2
  Matrix logits(1, 1);
  Mlp::Tape tape;
  model.Forward(theta, Matrix::Constant(1, 1, 0.4), tape, logits);
  EXPECT_NEAR(logits(0, 0), 2 * std::tanh(0.3) + 3 * std::tanh(-0.2) - 0.7, 1e-15);
}

TEST(Mlp, InitialWeightsHaveVarianceOneOverFanIn) {
  const Mlp model = Make<Mlp>({{"hidden", Numbers{400, 100}}}, 25, 3);
  Vector theta(model.num_params()), again(model.num_params());
  model.Initialize(Stream{7, 0, 0}, theta);
  model.Initialize(Stream{7, 0, 0}, again);
  EXPECT_EQ(theta, again);
  model.Initialize(Stream{8, 0, 0}, again);
  EXPECT_NE(theta, again);
  for (Index l = 0; l < 2; ++l) {
    const DenseLayer& layer = model.layer(l);
    const auto count = static_cast<double>(layer.inputs * layer.outputs);
    const Vector weights = theta.segment(layer.offset, layer.inputs * layer.outputs);
    const double variance = weights.squaredNorm() / count;
    EXPECT_NEAR(variance * static_cast<double>(layer.inputs), 1, 5 * std::sqrt(2 / count));
    EXPECT_EQ(theta.segment(layer.bias_offset(), layer.outputs), Vector::Zero(layer.outputs));
  }
}

TEST(Mlp, RejectsBadOptionsByName) {
  const std::vector<std::pair<std::map<std::string, OptionValue>, std::string>> cases = {
      {{{"hidden", Numbers{}}}, "config.model.options.hidden"},
      {{{"hidden", Numbers{0}}}, "config.model.options.hidden"},
      {{{"activation", std::string("sine")}}, "config.model.options.activation"}};
  for (const auto& [options, field] : cases) {
    const ComponentConfig config{"mlp", options};
    Options reader("config.model", config);
    Mlp model;
    EXPECT_EQ(FieldOf(model.Configure(reader, 2, 1)), field);
  }
}

}  // namespace
}  // namespace prequel::model_test
